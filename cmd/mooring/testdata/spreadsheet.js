// google.script.run as a sidebar finds it, over a script that answers what a pane asks before anything is written, or refuses that as
// window.refusal says.
(() => {
  const answers = {
    document: () => ({ id: "book-1", name: "Quarterly report" }),
    setting: () => null,
    marks: () => [],
    selection: () => ({ sheet: "Data", row: 0, column: 0, rows: 1, columns: 1 }),
  };
  const run = (success, failure) => ({
    withSuccessHandler: (handler) => run(handler, failure),
    withFailureHandler: (handler) => run(success, handler),
    mooring(text) {
      const { call } = JSON.parse(text);
      if (window.refusal) return void setTimeout(() => success(JSON.stringify({ error: window.refusal })));
      if (answers[call]) setTimeout(() => success(JSON.stringify({ result: answers[call]() })));
      else setTimeout(() => failure(new Error(`no ${call} here`)));
    },
  });
  window.google = { script: { run: run() } };
})();
