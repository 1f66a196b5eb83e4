// Searches the sections of all pages. They are loaded once somebody is about to search; without this script the form stays hidden.
const bar = document.querySelector("nav[data-root]");
const form = bar.querySelector("form");
const input = form.querySelector("input");
const said = form.querySelector("[role=status]");
const list = form.querySelector("ol");
const most = 12; // results that are shown

let loaded;
const sections = () => (loaded ??= load().catch((fault) => ((loaded = undefined), Promise.reject(fault))));

async function load() {
  const answer = await fetch(`${bar.dataset.root}/assets/search.json`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()).map((one) => ({
    ...one,
    heading: `${one.title} ${one.section ?? ""}`.toLowerCase(),
    words: one.text.toLowerCase(),
  }));
}

// A section counts when it has every word; a word in its heading counts more than in its text, and a whole word more than a part of one.
function points(section, words) {
  let sum = 0;
  for (const word of words) {
    const inHeading = section.heading.includes(word);
    if (!inHeading && !section.words.includes(word)) return 0;
    sum += inHeading ? 10 : 1;
    if (` ${section.heading} ${section.words} `.includes(` ${word} `)) sum += 2;
  }
  return sum;
}

function best(all, words) {
  const found = all.map((section) => ({ section, points: points(section, words) })).filter((one) => one.points > 0);
  return found.sort((a, b) => b.points - a.points).map((one) => one.section);
}

// The text around the first word that it has, with that word marked.
function excerpt(section, words) {
  const at = Math.min(...words.map((word) => section.words.indexOf(word)).filter((i) => i >= 0));
  const text = document.createElement("span");
  if (!Number.isFinite(at)) {
    text.textContent = section.text.slice(0, 120);
    return text;
  }
  const word = words.find((one) => section.words.startsWith(one, at));
  const mark = document.createElement("mark");
  mark.textContent = section.text.slice(at, at + word.length);
  const from = section.text.lastIndexOf(" ", Math.max(0, at - 40)) + 1;
  text.append(section.text.slice(from, at), mark, section.text.slice(at + word.length, at + 80));
  return text;
}

function item(section, words) {
  const link = document.createElement("a");
  link.href = `${bar.dataset.root}/${section.page}#${section.id}`;
  link.textContent = section.section ? `${section.title} › ${section.section}` : section.title;
  const line = document.createElement("li");
  line.append(link, excerpt(section, words));
  return line;
}

async function search() {
  const text = input.value;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let found = [];
  try {
    found = words.length ? best(await sections(), words) : [];
  } catch (fault) {
    said.textContent = `The search could not be loaded (${fault.message}). Check the connection and type again.`;
    return;
  }
  if (text !== input.value) return; // typed on meanwhile
  list.replaceChildren(...found.slice(0, most).map((section) => item(section, words)));
  said.textContent = !words.length ? "" : found.length === 1 ? "1 section" : found.length ? `${found.length} sections` : "Nothing found: try another word.";
}

form.hidden = false;
input.addEventListener("focus", () => sections().catch(() => {})); // typing says what is wrong
input.addEventListener("input", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  input.value = "";
  input.focus();
  search();
});
list.addEventListener("click", (event) => {
  if (!event.target.closest("a")) return;
  input.value = "";
  search();
});
