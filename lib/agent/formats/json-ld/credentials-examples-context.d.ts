/** Type of the package's only self-contained file: its main module imports a package that it does not depend on. */
declare module '@digitalbazaar/credentials-examples-context/dist/context.js' {
  const examples: { CONTEXT_URL_V1: string; CONTEXT_V1: Record<string, unknown> }
  export default examples
}
