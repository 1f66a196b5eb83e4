/** Signing in: by the provider of identities where there is one, else with a key. */
import { fill, h } from "../ui/dom.mjs";
import { text } from "./text.mjs";

/**
 * @typedef {import("./session.mjs").SessionApi} SessionApi
 * @typedef {{issuer: string, name: string}} Issuer
 */

/**
 * The issuers of identities that the account lets in.
 * @param {SessionApi} api
 * @returns {Promise<Issuer[]>}
 */
export async function issuersOf(api) {
  const answer = await api.send("GET", "/session", { token: "" });
  const { issuers = [] } = answer?.ok ? await answer.json() : {};
  return issuers;
}

/**
 * Asks the person to sign in where no screen is shown yet, and resolves when they have.
 * @param {SessionApi} api
 * @param {Issuer[]} issuers
 * @param {HTMLElement} place
 * @returns {Promise<void>}
 */
export function page(api, issuers, place) {
  return new Promise((done) => {
    const failed = new URLSearchParams(location.search).get("signin") ?? "";
    const why = text.signInFailed[/** @type {keyof typeof text.signInFailed} */ (failed)];
    const card = h(
      "section",
      { class: "signin" },
      h("h2", { tabindex: -1 }, text.signInTitle),
      why && h("p", { class: "bad", role: "alert" }, why),
      ...ways(api, issuers, () => {
        if (location.search) history.replaceState(null, "", location.pathname + location.hash);
        done();
      }),
    );
    document.title = `${text.signIn} – ${text.product}`;
    fill(place, card);
    /** @type {HTMLElement | null} */ (card.querySelector("a, input"))?.focus();
  });
}

/**
 * The same in a dialog over a screen, which stays as it was.
 * @param {SessionApi} api
 * @param {Issuer[]} issuers
 * @param {string} why
 * @returns {Promise<void>}
 */
export function over(api, issuers, why) {
  return new Promise((done) => {
    const dialog = h(
      "dialog",
      { "aria-label": text.signInTitle, oncancel: (/** @type {Event} */ event) => event.preventDefault() },
      h("h2", {}, text.signInTitle),
      h("p", {}, why),
      ...ways(api, issuers, () => {
        dialog.close();
        dialog.remove();
        done();
      }),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * The ways to sign in: a button for each issuer, or the key.
 * @param {SessionApi} api
 * @param {Issuer[]} issuers
 * @param {() => void} done
 */
function ways(api, issuers, done) {
  const form = keyForm(api, done);
  if (!issuers.length) return [form];
  const buttons = issuers.map(({ issuer, name }) => {
    const query = new URLSearchParams({ issuer, next: location.pathname + location.hash });
    const label = issuers.length > 1 ? text.signInWith(name) : text.signIn;
    return h("a", { class: "button primary", href: `${location.pathname}signin?${query}` }, label);
  });
  return [h("p", { class: "issuers" }, ...buttons), h("details", {}, h("summary", {}, text.keyInstead), form)];
}

/**
 * @param {SessionApi} api
 * @param {() => void} done
 */
function keyForm(api, done) {
  const key = h("input", { id: "key", type: "password", autocomplete: "off", required: true, "aria-describedby": "key-why" });
  const refused = h("p", { class: "bad", role: "alert" });
  const button = h("button", { class: "primary" }, text.signIn);
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    button.disabled = true;
    refused.textContent = await api.begin(key.value.trim(), { refused: text.keyRefused, away: text.awayNow });
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
