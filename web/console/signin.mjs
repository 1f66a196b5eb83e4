/** Signing in: by the provider of identities where there is one, else with a key. */
import { fill, h } from "../ui/dom.mjs";
import { text } from "./text.mjs";

/**
 * @typedef {import("./console.mjs").Console} Console
 * @typedef {{issuer: string, name: string}} Issuer
 */

/**
 * Asks the person to sign in, and resolves when they have. Over a screen that was shown already it asks in a dialog, so that the screen
 * stays as it was.
 * @param {Console} app
 * @param {string} again why, over such a screen
 * @returns {Promise<void>}
 */
export async function signIn(app, again) {
  const answer = await app.api.send("GET", "/session", { token: "" });
  const { issuers = [] } = answer?.ok ? await answer.json() : {};
  await new Promise((resolve) => (app.screen ? over(app, issuers, again, resolve) : page(app, issuers, resolve)));
}

/**
 * @param {Console} app
 * @param {Issuer[]} issuers
 * @param {(value?: unknown) => void} done
 */
function page(app, issuers, done) {
  const failed = new URLSearchParams(location.search).get("signin") ?? "";
  const why = text.signInFailed[/** @type {keyof typeof text.signInFailed} */ (failed)];
  const card = h(
    "section",
    { class: "signin" },
    h("h2", { tabindex: -1 }, text.signInTitle),
    why && h("p", { class: "bad", role: "alert" }, why),
    ...ways(app, issuers, () => {
      if (location.search) history.replaceState(null, "", location.pathname + location.hash);
      done();
    }),
  );
  document.title = `${text.signIn} – ${text.product}`;
  fill(app.main, card);
  /** @type {HTMLElement | null} */ (card.querySelector("a, input"))?.focus();
}

/**
 * @param {Console} app
 * @param {Issuer[]} issuers
 * @param {string} why
 * @param {(value?: unknown) => void} done
 */
function over(app, issuers, why, done) {
  const dialog = h(
    "dialog",
    { "aria-label": text.signInTitle, oncancel: (/** @type {Event} */ event) => event.preventDefault() },
    h("h2", {}, text.signInTitle),
    h("p", {}, why),
    ...ways(app, issuers, () => {
      dialog.close();
      dialog.remove();
      done();
    }),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * The ways to sign in: a button for each issuer, or the key.
 * @param {Console} app
 * @param {Issuer[]} issuers
 * @param {() => void} done
 */
function ways(app, issuers, done) {
  const form = keyForm(app, done);
  if (!issuers.length) return [form];
  const buttons = issuers.map(({ issuer, name }) => {
    const query = new URLSearchParams({ issuer, next: location.pathname + location.hash });
    const label = issuers.length > 1 ? text.signInWith(name) : text.signIn;
    return h("a", { class: "button primary", href: `${location.pathname}signin?${query}` }, label);
  });
  return [h("p", { class: "issuers" }, ...buttons), h("details", {}, h("summary", {}, text.keyInstead), form)];
}

/**
 * @param {Console} app
 * @param {() => void} done
 */
function keyForm(app, done) {
  const key = h("input", { id: "key", type: "password", autocomplete: "off", required: true, "aria-describedby": "key-why" });
  const refused = h("p", { class: "bad", role: "alert" });
  const button = h("button", { class: "primary" }, text.signIn);
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    button.disabled = true;
    refused.textContent = await app.api.begin(key.value.trim(), { refused: text.keyRefused, away: text.awayNow });
    button.disabled = false;
    if (!refused.textContent) done();
    else key.select();
  };
  return h(
    "form",
    { onsubmit },
    h("label", { class: "field", for: "key" }, h("span", {}, text.key), key),
    h("p", { class: "hint", id: "key-why" }, text.keyWhy),
    refused,
    button,
  );
}
