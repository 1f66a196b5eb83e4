// Office.js as Excel's task pane finds it, over the strict fake of the port's own tests. window.officeAtStart may say where the workbook is,
// in a form of testing/addresses.mjs or at an address, which sheets it has, and which document it says it is, or that it is fresh; else an earlier
// version has kept that in its settings. window.book is what it holds, window.fake the program.
window.Office = {
  HostType: { Excel: "Excel" },
  context: {
    requirements: { isSetSupported: (set) => set !== "OpenBrowserWindowApi" || !window.withoutBrowserWindows },
    document: { url: "https://example.sharepoint.com/book.xlsx" },
    ui: { openBrowserWindow: (address) => void (window.openedOutside = address) },
  },
  async onReady() {
    const base = "https://appsforoffice.microsoft.com/addin/testing";
    const [{ Book }, { FakeExcel }, { forms, officeDocument }] = await Promise.all([
      import(`${base}/book.mjs`), import(`${base}/fake-office.mjs`), import(`${base}/addresses.mjs`),
    ]);
    const { url } = Office.context.document;
    const { name = "book.xlsx", identity, address, form = 0, marks = {}, sheets = ["Data"] } = window.officeAtStart ?? {};
    const settings = new Map(identity || address ? [] : [["mooring.document", JSON.stringify({ id: "book-1", addresses: [url] })]]);
    const book = (window.book = new Book(1048576, 16384, ...sheets));
    if (identity) book.names.push({ name: "_mooring_document", sheet: null, area: {}, text: `="${identity}"` });
    for (const [name, area] of Object.entries(marks)) book.names.push({ name, sheet: book.sheets[0], area });
    const file = address ? { url: address, answer: { url: address } } : forms[form];
    if (identity || address) Office.context.document = officeDocument((window.file = { ...file }));
    window.forms = forms;
    window.workbookSettings = settings;
    window.fake = new FakeExcel(book, { name, settings });
    window.Excel = window.fake.api();
    return { host: "Excel" };
  },
};
