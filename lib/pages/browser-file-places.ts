/** Where the files for browsers are, by their names. In a bundle infra/bundle/browser-files.ts replaces this module, because they are beside the code there. */

const OWN = ['page.css', 'docs.css', 'docs.js']
const VIEWER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt']

/** Addresses of files. */
export const PLACES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OWN.map((name) => [name, import.meta.resolve(`./browser/${name}`)])),
  ...Object.fromEntries(VIEWER.map((name) => [name, import.meta.resolve(`swagger-ui-dist/${name}`)])),
}
