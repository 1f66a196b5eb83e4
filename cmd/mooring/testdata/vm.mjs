/** node:vm as far as the fake of Apps Script needs it: a script runs with the globals of its context, and what it declares is of that alone. */
const scripts = new WeakMap();

export default {
  createContext: (globals) => globals,
  runInContext(text, world) {
    const script = scripts.get(world);
    if (script === undefined) return void scripts.set(world, text);
    return new Function(...Object.keys(world), `${script}\nreturn (${text});`)(...Object.values(world));
  },
};
