// google.script.run as a sidebar finds it, over a script that answers what a pane asks before anything is written, or refuses that as
// window.refusal says. window.sheetsAtStart names the sheets of a spreadsheet that takes its place: the strict fake of the port's own tests, over
// the real script; window.file is it then, window.book what it holds.
(() => {
  window.setImmediate ??= (fn) => void setTimeout(fn);
  const opened = window.sheetsAtStart && Promise.all([
    import("/addin/testing/book.mjs"), import("/addin/testing/fake-sheets.mjs"), fetch("/addin/apps-script/Code.js").then((script) => script.text()),
  ]).then(([{ Book }, { FakeSpreadsheet }, code]) => {
    window.book = new Book(1000, 26, ...window.sheetsAtStart);
    return (window.file = new FakeSpreadsheet(window.book, code));
  });
  const answers = {
    document: () => ({ id: "book-1", name: "Quarterly report" }),
    setting: () => null,
    marks: () => [],
    selection: () => ({ sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 }),
  };
  const run = (success, failure) => ({
    withSuccessHandler: (handler) => run(handler, failure),
    withFailureHandler: (handler) => run(success, handler),
    mooring(text, opener) {
      if (opened) return void opened.then((file) => file.run("mooring", text, opener)).then(success, failure);
      const { call } = JSON.parse(text);
      if (window.refusal) return void setTimeout(() => success(JSON.stringify({ error: window.refusal })));
      if (answers[call]) setTimeout(() => success(JSON.stringify({ result: answers[call]() })));
      else setTimeout(() => failure(new Error(`no ${call} here`)));
    },
  });
  window.google = { script: { run: run() } };
})();
