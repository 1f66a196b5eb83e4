// Office.js as Excel's task pane finds it, over the strict fake of the port's own tests.
window.Office = {
  HostType: { Excel: "Excel" },
  context: {
    requirements: { isSetSupported: (set) => set !== "OpenBrowserWindowApi" || !window.withoutBrowserWindows },
    document: { url: "https://example.sharepoint.com/book.xlsx" },
    ui: { openBrowserWindow: (address) => void (window.openedOutside = address) },
  },
  async onReady() {
    const base = "https://appsforoffice.microsoft.com/addin/testing";
    const [{ Book }, { FakeExcel }] = await Promise.all([import(`${base}/book.mjs`), import(`${base}/fake-office.mjs`)]);
    const settings = new Map([["mooring.document", JSON.stringify({ id: "book-1", addresses: [Office.context.document.url] })]]);
    const excel = new FakeExcel(new Book(1048576, 16384, "Data"), { name: "book.xlsx", settings });
    window.workbookSettings = settings;
    window.Excel = excel.api();
    return { host: "Excel" };
  },
};
