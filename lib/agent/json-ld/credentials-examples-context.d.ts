/** The file of the package that needs no other one; its main module asks for a package that it does not depend on. It has no types of its own. */
declare module '@digitalbazaar/credentials-examples-context/dist/context.js' {
  const examples: { CONTEXT_URL_V1: string; CONTEXT_V1: Record<string, unknown> }
  export default examples
}
