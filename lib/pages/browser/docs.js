/* Shows the stage's own openapi.json in swagger-ui. Nothing is read from the URL, and a token is kept in memory only. */
const base = new URL('..', document.currentScript.src)
const reference = document.getElementById('reference')

// The viewer has a dark mode, which this page switches on and off.
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const followColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followColours()
dark.addEventListener('change', followColours)

// Screen readers go from landmark to landmark, and the viewer has one for its operations only.
const regionOf =
  (name) =>
  (Original, { React }) =>
  (props) =>
    React.createElement('section', { 'aria-label': name }, React.createElement(Original, props))

const show = async () => {
  const response = await fetch(new URL('openapi.json', base))
  if (!response.ok) throw new Error(`openapi.json: ${response.status}`)
  const spec = await response.json()
  // "Try it" calls the stage that the page was opened on, and the policy of the page lets it call no other.
  spec.servers = [{ url: base.href.replace(/\/$/, '') }]
  // The viewer warns about dialects other than OpenAPI's own, although it can show this one.
  delete spec.jsonSchemaDialect
  window.SwaggerUIBundle({
    spec,
    domNode: reference,
    presets: [window.SwaggerUIBundle.presets.apis],
    queryConfigEnabled: false,
    persistAuthorization: false,
    validatorUrl: null,
    deepLinking: false,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: true,
    plugins: [
      () => ({
        wrapComponents: {
          // There is one server: the list to choose it from has no name for screen readers.
          ServersContainer: () => () => null,
          InfoContainer: regionOf('About'),
          AuthorizeBtnContainer: regionOf('Token'),
          FilterContainer: regionOf('Filter'),
        },
      }),
    ],
  })
}

show().catch((error) => {
  const words = document.createElement('p')
  words.setAttribute('role', 'alert')
  words.textContent = `The reference could not be loaded. ${error.message}`
  reference.replaceChildren(words)
})
