// Shows the OpenAPI document that the page names. Requests of "Try it out" go to this server only.
const viewer = document.getElementById("viewer");
SwaggerUIBundle({
  domNode: viewer,
  url: new URL(viewer.dataset.spec, location.href).href,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
});
