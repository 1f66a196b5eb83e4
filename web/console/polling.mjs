/** Screens whose numbers change without any event. */

/**
 * Returns what a screen calls at each read: it is read again after so many milliseconds, as long as it is shown.
 * @param {import("./console.mjs").Console} app
 * @param {number} ms
 */
export function polling(app, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (/** @type {AbortSignal} */ signal) => {
    clearTimeout(timer);
    timer = setTimeout(() => !signal.aborted && app.changed(), ms);
  };
}
