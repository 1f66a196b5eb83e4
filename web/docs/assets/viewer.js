// Loads Swagger UI once somebody asks for an operation, or for all of them: the list that stands on the page needs no script. Requests of
// "Try it out" go to this server only.
const place = document.getElementById("viewer");
const operations = document.getElementById("operations");

function load(name, made) {
  return new Promise((loaded, failed) => document.head.append(Object.assign(made, { onload: loaded, onerror: () => failed(new Error(name)) })));
}

const asset = (name) => new URL(`${place.dataset.assets}/${name}`, location.href).href;

async function show() {
  await Promise.all([
    load("swagger-ui.css", Object.assign(document.createElement("link"), { rel: "stylesheet", href: asset("swagger-ui.css") })),
    load("swagger-ui-bundle.js", Object.assign(document.createElement("script"), { src: asset("swagger-ui-bundle.js") })),
  ]);
  operations.hidden = true;
  place.textContent = "";
  SwaggerUIBundle({
    domNode: place,
    url: new URL(place.dataset.spec, location.href).href,
    deepLinking: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    validatorUrl: null,
  });
}

let shown;
function open() {
  shown ??= show().catch((fault) => {
    shown = undefined; // the next click tries again
    operations.hidden = false;
    place.textContent = `The viewer could not be loaded (${fault.message}). Check the connection and click again.`;
  });
}
for (const link of operations.querySelectorAll("a[href^='#/']")) link.addEventListener("click", open);
if (location.hash.startsWith("#/")) open();
