/** Signing in: by the provider of identities where there is one, else with a key. */
import { fill, h } from "../ui/dom.mjs";
import { text } from "./text.mjs";

/** What it says, in English. */
const words = {
  signIn: "Sign in",
  signInWith: (/** @type {string} */ name) => `Sign in with ${name}`,
  signInTitle: "Sign in to Mooring",
  ways: {
    demo: "This is the demo: the link that “mooring demo” printed signs you in, once. Or use the TOKEN that it printed as a key.",
    provider: (/** @type {string[]} */ names) => `One signs in here with ${names.join(" or ")}, or with a key.`,
    key: "One signs in here with a key.",
  },
  keyWhy: "Who runs this service makes one with “mooring key create”; who is signed in makes others under “Keys and devices”. This page does not keep it.",
  keyInstead: "Use a key instead",
  keyRefused: "This key is not valid here, or has ended.",
  signInFailed: {
    denied: "The sign-in was denied.",
    refused: "You are signed in there, but this service has no place for you. Ask who runs it.",
    expired: "The sign-in took too long. Sign in again.",
    no_group:
      "You are in no group, and have no app role, that this account lets in: your provider says yours in the claims groups and roles. Ask who runs this service to let in one of yours.",
    groups_overage:
      "The token lists no groups (more than 200): use app roles. You are in too many groups for your provider to say which: ask who runs this service to go by app roles.",
    domain: "This account lets in neither the domain of your account nor your email address: your provider says them in the claims hd and email. Sign out at your provider and sign in with your work account, or ask who runs this service.",
    email_unverified:
      "Your provider does not say that your email address is yours (email_verified, of Entra ID xms_edov), and rights go by it here. Ask who runs your provider to verify it.",
    tenant: "Your organization is not one that this service lets in: your provider names it in a claim, Entra ID in tid. Sign out at your provider and sign in with your work account, or ask who runs this service.",
    provider_unavailable: "The identity provider does not answer now. Try again soon, or use a key.",
  },
};

/**
 * @typedef {import("./session.mjs").SessionApi} SessionApi
 * @typedef {Required<import("../interface.d.ts").SignInMethods>} Methods
 */

/**
 * How one signs in here: with a key, at an issuer of identities that the account lets in, by the link of a demo.
 * @param {SessionApi} api
 * @returns {Promise<Methods>}
 */
export async function methodsOf(api) {
  const answer = await api.send("GET", "/session", { token: "" });
  const { methods = ["key"], issuers = [] } = answer?.ok ? await answer.json() : {};
  return { methods, issuers };
}

/** @param {Methods} here */
function howTo({ methods, issuers }) {
  if (methods.includes("link")) return words.ways.demo;
  return issuers.length ? words.ways.provider(issuers.map(({ name }) => name)) : words.ways.key;
}

/**
 * Asks the person to sign in where no screen is shown yet, and resolves when they have.
 * @param {SessionApi} api
 * @param {Methods} here
 * @param {HTMLElement} place
 * @returns {Promise<void>}
 */
export function page(api, here, place) {
  return new Promise((done) => {
    const failed = new URLSearchParams(location.search).get("signin") ?? "";
    const why = words.signInFailed[/** @type {keyof typeof words.signInFailed} */ (failed)];
    const card = h(
      "section",
      { class: "signin" },
      h("h2", { tabindex: -1 }, words.signInTitle),
      why && h("p", { class: "bad", role: "alert" }, why),
      h("p", {}, howTo(here)),
      ...ways(api, here, () => {
        if (location.search) history.replaceState(null, "", location.pathname + location.hash);
        done();
      }),
    );
    document.title = `${words.signIn} – ${text.product}`;
    fill(place, card);
    /** @type {HTMLElement | null} */ (card.querySelector("a, input"))?.focus();
  });
}

/**
 * The same in a dialog over a screen, which stays as it was.
 * @param {SessionApi} api
 * @param {Methods} here
 * @param {string} why
 * @returns {Promise<void>}
 */
export function over(api, here, why) {
  return new Promise((done) => {
    const dialog = h(
      "dialog",
      { "aria-label": words.signInTitle, oncancel: (/** @type {Event} */ event) => event.preventDefault() },
      h("h2", {}, words.signInTitle),
      h("p", {}, why),
      ...ways(api, here, () => {
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
 * @param {Methods} here
 * @param {() => void} done
 */
function ways(api, here, done) {
  const { issuers } = here;
  const form = keyForm(api, done);
  if (!issuers.length) return [form];
  const buttons = issuers.map(({ issuer, name }) => {
    const query = new URLSearchParams({ issuer, next: location.pathname + location.hash });
    const label = issuers.length > 1 ? words.signInWith(name) : words.signIn;
    return h("a", { class: "button primary", href: `${location.pathname}signin?${query}` }, label);
  });
  return [h("p", { class: "issuers" }, ...buttons), h("details", {}, h("summary", {}, words.keyInstead), form)];
}

/**
 * @param {SessionApi} api
 * @param {() => void} done
 */
function keyForm(api, done) {
  const key = h("input", { id: "key", type: "password", autocomplete: "off", required: true, "aria-describedby": "key-why" });
  const refused = h("p", { class: "bad", role: "alert" });
  const button = h("button", { class: "primary" }, words.signIn);
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    button.disabled = true;
    refused.textContent = await api.begin(key.value.trim(), { refused: words.keyRefused, away: text.awayNow });
    button.disabled = false;
    if (!refused.textContent) done();
    else key.select();
  };
  return h(
    "form",
    { onsubmit },
    h("label", { class: "field", for: "key" }, h("span", {}, text.key), key),
    h("p", { class: "hint", id: "key-why" }, words.keyWhy),
    refused,
    button,
  );
}
