/** Type of the package's only usable file: its main module imports a package that is not among its dependencies. */
declare module '@digitalbazaar/credentials-examples-context/dist/context.js' {
  const examples: { CONTEXT_URL_V1: string; CONTEXT_V1: Record<string, unknown> }
  export default examples
}
