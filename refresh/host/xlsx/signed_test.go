package xlsx_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
)

const (
	dsigNS     = "http://www.w3.org/2000/09/xmldsig#"
	packageNS  = "http://schemas.openxmlformats.org/package/2006/"
	signatures = "application/vnd.openxmlformats-package.digital-signature-"
	c14n       = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
)

// signed is a workbook with a signature as Office writes one (ECMA-376-2, part 13; [MS-OFFCRYPTO] 2.5): the origin, a signature over the
// digests of all parts, and the signer's certificate in it. Beside it stand macros with a signature of their own.
func signed(t testing.TB) []zipPart {
	t.Helper()
	relation := func(id, kind, target string) string {
		return fmt.Sprintf(`<Relationship Id="%s" Type="%s" Target="%s"/>`, id, kind, target)
	}
	parts := []zipPart{
		{"[Content_Types].xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n" +
			`<Types xmlns="` + packageNS + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="sigs" ContentType="` + signatures + `origin"/><Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
			`<Override PartName="/xl/vbaProjectSignature.bin" ContentType="application/vnd.ms-office.vbaProjectSignature"/>` +
			`<Override PartName="/_xmlsignatures/sig1.xml" ContentType="` + signatures + `xmlsignature+xml"/></Types>`},
		{"_rels/.rels", relationships(relation("rId1", relNS+"/officeDocument", "xl/workbook.xml") +
			relation("rId9", packageNS+"relationships/digital-signature/origin", "_xmlsignatures/origin.sigs"))},
		{"xl/_rels/workbook.xml.rels", relationships(relation("rId1", relNS+"/worksheet", "worksheets/sheet1.xml") +
			relation("rId2", "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "vbaProject.bin"))},
		{"xl/workbook.xml", workbookXML("")},
		{
			"xl/worksheets/sheet1.xml",
			sheetXML(`<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>approved</t></is></c></row></sheetData>`),
		},
		{"xl/vbaProject.bin", "macros"},
		{
			"xl/_rels/vbaProject.bin.rels",
			relationships(relation("rId1", "http://schemas.microsoft.com/office/2006/relationships/vbaProjectSignature", "vbaProjectSignature.bin")),
		},
		{"xl/vbaProjectSignature.bin", "signature of the macros"},
	}
	return append(parts,
		zipPart{"_xmlsignatures/origin.sigs", ""},
		zipPart{
			"_xmlsignatures/_rels/origin.sigs.rels",
			relationships(relation("rId1", packageNS+"relationships/digital-signature/signature", "sig1.xml")),
		},
		zipPart{"_xmlsignatures/sig1.xml", signature(t, parts[3:6])})
}

// signature is the signature part of a package: SignedInfo holds the digest of the manifest, which holds those of the parts.
func signature(t testing.TB, parts []zipPart) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	name := pkix.Name{CommonName: "A person who approves"}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: name, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(4e9, 0)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	object := `<Object xmlns="` + dsigNS + `" Id="idPackageObject"><Manifest>`
	for _, p := range parts {
		object += Reference("/"+p.name+"?ContentType=application/xml", "", p.doc)
	}
	object += `</Manifest><SignatureProperties><SignatureProperty Id="idSignatureTime" Target="#idPackageSignature">` +
		`<mdssi:SignatureTime xmlns:mdssi="` + packageNS + `digital-signature"><mdssi:Format>YYYY-MM-DDThh:mm:ssTZD</mdssi:Format>` +
		`<mdssi:Value>2026-03-02T09:30:00Z</mdssi:Value></mdssi:SignatureTime></SignatureProperty></SignatureProperties></Object>`
	info := `<SignedInfo xmlns="` + dsigNS + `"><CanonicalizationMethod Algorithm="` + c14n + `"></CanonicalizationMethod>` +
		`<SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></SignatureMethod>` +
		Reference("#idPackageObject", dsigNS+"Object", object) + `</SignedInfo>`
	digest := sha256.Sum256([]byte(info))
	value, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Signature xmlns="` + dsigNS + `" Id="idPackageSignature">` + info +
		`<SignatureValue>` + base64.StdEncoding.EncodeToString(value) + `</SignatureValue><KeyInfo><X509Data><X509Certificate>` +
		base64.StdEncoding.EncodeToString(certificate) + `</X509Certificate></X509Data></KeyInfo>` + object + `</Signature>`
}

func Reference(uri, kind, of string) string {
	if kind != "" {
		kind = ` Type="` + kind + `"`
	}
	digest := sha256.Sum256([]byte(of))
	return `<Reference` + kind + ` URI="` + uri + `"><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></DigestMethod>` +
		`<DigestValue>` + base64.StdEncoding.EncodeToString(digest[:]) + `</DigestValue></Reference>`
}

// otherLayout is a signed workbook as .NET's System.IO.Packaging writes it: in other folders, the certificate a part of its own, elements
// that are not empty but have nothing in them.
func otherLayout(t testing.TB) []zipPart {
	t.Helper()
	const folder = "package/services/digital-signature/"
	parts := signed(t)[:8]
	for i := range parts {
		r := strings.NewReplacer(
			`<Default Extension="sigs" ContentType="`+signatures+`origin"/>`,
			`<Default Extension="psdsor" ContentType="`+signatures+`origin"></Default><Default Extension="PSDSXS" ContentType="`+signatures+`xmlsignature+xml"/>`+
				`<Default Extension="cer" ContentType="`+signatures+`certificate"/>`,
			`<Override PartName="/_xmlsignatures/sig1.xml" ContentType="`+signatures+`xmlsignature+xml"/>`, "",
			`Target="_xmlsignatures/origin.sigs"/>`, `Target="/`+folder+`origin.psdsor"></Relationship>`,
		)
		parts[i].doc = r.Replace(parts[i].doc)
	}
	return append(parts,
		zipPart{folder + "origin.psdsor", ""},
		zipPart{folder + "_rels/origin.psdsor.rels", relationships("")},
		zipPart{folder + "xml-signature/a1.psdsxs", signature(t, parts[3:6])},
		zipPart{folder + "xml-signature/_rels/a1.psdsxs.rels", relationships("")},
		zipPart{folder + "certificate/b2.cer", "certificate"})
}
