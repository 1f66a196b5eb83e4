package shift_test

import "testing"

var pivotTests = []partTest{
	{
		name: "source grows", kind: "pivotCacheDefinition", by: inserted,
		doc:  `<pivotCacheDefinition r:id="rId1"><cacheSource type="worksheet"><worksheetSource ref="B2:D9" sheet="data"/></cacheSource></pivotCacheDefinition>`,
		want: `<pivotCacheDefinition r:id="rId1"><cacheSource type="worksheet"><worksheetSource ref="B2:D11" sheet="data"/></cacheSource></pivotCacheDefinition>`,
	},
	{
		name: "source that ends in the block's last row grows", kind: "pivotCacheDefinition", by: appended,
		doc:  `<pivotCacheDefinition><worksheetSource ref="B2:D4" sheet="Data"/></pivotCacheDefinition>`,
		want: `<pivotCacheDefinition><worksheetSource ref="B2:D7" sheet="Data"/></pivotCacheDefinition>`,
	},
	{
		name: "several sources", kind: "pivotCacheDefinition", by: inserted,
		doc:  `<pivotCacheDefinition><rangeSets><rangeSet ref="B7:D9" sheet="Data"/><rangeSet ref="B7:D9" sheet="Sum"/></rangeSets></pivotCacheDefinition>`,
		want: `<pivotCacheDefinition><rangeSets><rangeSet ref="B9:D11" sheet="Data"/><rangeSet ref="B7:D9" sheet="Sum"/></rangeSets></pivotCacheDefinition>`,
	},
	{
		name: "source that is a name", kind: "pivotCacheDefinition", by: inserted,
		doc: `<pivotCacheDefinition><worksheetSource name="Sales"/></pivotCacheDefinition>`,
	},
	{
		name: "source in another workbook", kind: "pivotCacheDefinition", by: inserted,
		doc: `<pivotCacheDefinition><worksheetSource ref="B7:D9" sheet="Data" r:id="rId2"/></pivotCacheDefinition>`,
	},
	{
		name: "deleted source", kind: "pivotCacheDefinition", by: deleted,
		doc:  `<pivotCacheDefinition><worksheetSource ref="B5:D6" sheet="Data"/></pivotCacheDefinition>`,
		torn: `the source of a pivot table at B5:D6 on sheet "Data" would be torn apart`,
	},
	{
		name: "table moves", kind: "pivotTable", by: deleted,
		doc:  `<pivotTableDefinition name="P"><location ref="B8:D12" firstHeaderRow="1"/></pivotTableDefinition>`,
		want: `<pivotTableDefinition name="P"><location ref="B6:D10" firstHeaderRow="1"/></pivotTableDefinition>`,
	},
	{
		name: "table moves with its filters", kind: "pivotTable", by: inserted,
		doc:  `<pivotTableDefinition name="P"><location ref="B8:C12" rowPageCount="2" colPageCount="1"/></pivotTableDefinition>`,
		want: `<pivotTableDefinition name="P"><location ref="B10:C14" rowPageCount="2" colPageCount="1"/></pivotTableDefinition>`,
	},
	{
		name: "rows inserted between its filters", kind: "pivotTable", by: inserted,
		doc:  `<pivotTableDefinition name="P"><location ref="B7:C12" rowPageCount="2" colPageCount="1"/></pivotTableDefinition>`,
		torn: `the pivot table "P" at B4:C12 on sheet "Data" would be torn apart`,
	},
	{
		name: "rows inserted into it", kind: "pivotTable", by: inserted,
		doc:  `<pivotTableDefinition name="P"><location ref="B3:C9"/></pivotTableDefinition>`,
		torn: `the pivot table "P" at B3:C9 on sheet "Data" would be torn apart`,
	},
	{
		name: "rows deleted from it", kind: "pivotTable", by: deleted,
		doc:  `<pivotTableDefinition name="P"><location ref="B6:C9"/></pivotTableDefinition>`,
		torn: `the pivot table "P" at B6:C9 on sheet "Data" would be torn apart`,
	},
	{
		name: "only some of its columns", kind: "pivotTable", by: inserted,
		doc:  `<pivotTableDefinition name="P"><location ref="D6:E9"/></pivotTableDefinition>`,
		torn: `the pivot table "P" at D6:E9 on sheet "Data" would be torn apart`,
	},
}

func TestPivot(t *testing.T) { runPartTests(t, pivotTests) }
