/**
 * Where the files for browsers are. A bundle has them beside its code, so infra/bundle/browser-files.ts replaces this
 * module there.
 */

const OWN = ['page.css', 'docs.css', 'docs.js', 'session.js']
const VIEWER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt']

/** File URLs by file name. */
export const PLACES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OWN.map((name) => [name, import.meta.resolve(`./browser/${name}`)])),
  ...Object.fromEntries(VIEWER.map((name) => [name, import.meta.resolve(`swagger-ui-dist/${name}`)])),
}
