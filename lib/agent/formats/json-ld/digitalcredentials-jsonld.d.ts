/** Types of the JSON-LD processor with which Credo signs and verifies: those that this service uses. */
declare module '@digitalcredentials/jsonld' {
  import type { ContextResolver } from '@digitalcredentials/jsonld/lib/ContextResolver.js'

  /** @see https://www.w3.org/TR/json-ld11-api/#loaddocumentcallback */
  export type DocumentLoader = (url: string) => Promise<{
    contextUrl?: string | null
    documentUrl: string
    document: Record<string, unknown>
    /** `static`: the address always has this document, so its processed form may be cached. */
    tag?: 'static'
  }>

  interface Options {
    documentLoader?: DocumentLoader
    contextResolver?: ContextResolver
    /** Whether to throw if a value would be dropped: a term that no context defines, a relative IRI. */
    safe?: boolean
    base?: string | null
  }

  /** A processed context. */
  export interface ActiveContext {
    mappings: Map<string, Record<string, unknown>>
    /** The context before a type-scoped context was applied. */
    previousContext?: ActiveContext
    revertToPreviousContext(): ActiveContext
    '@vocab'?: unknown
    '@base'?: unknown
    '@language'?: unknown
    '@direction'?: unknown
  }

  interface Term {
    termType: string
    value: string
  }

  /** https://rdf.js.org/data-model-spec/#quad-interface */
  export interface Quad {
    subject: Term
    predicate: Term
    object: Term
    graph: Term
  }

  const jsonld: {
    expand(document: unknown, options: Options): Promise<unknown[]>
    compact(document: unknown, context: unknown, options: Options): Promise<Record<string, unknown>>
    toRDF(document: unknown, options: Options): Promise<Quad[]>
    fromRDF(dataset: string, options: { format: 'application/n-quads'; useNativeTypes: boolean }): Promise<object[]>
    canonize(
      dataset: string,
      options: {
        inputFormat: 'application/n-quads'
        format: 'application/n-quads'
        /** Option of rdf-canonize: creates a SHA-256 hash. */
        createMessageDigest: () => { update(text: string): void; digest(): string }
      },
    ): Promise<string>
    /** A local context of `null` returns the initial context. */
    processContext(active: ActiveContext | null, local: unknown, options: Options): Promise<ActiveContext>
  }
  export default jsonld
}

declare module '@digitalcredentials/jsonld/lib/ContextResolver.js' {
  import type { ActiveContext } from '@digitalcredentials/jsonld'

  export interface ResolvedContext {
    /** The result of applying the context to an active one; undefined if it was not processed yet. */
    getProcessed(activeCtx: ActiveContext): object | undefined
  }

  export interface ContextResolver {
    resolve(options: { activeCtx: ActiveContext; context: unknown }): Promise<ResolvedContext[]>
  }

  interface Cache {
    get(key: string): Map<string, ResolvedContext> | undefined
    set(key: string, value: Map<string, ResolvedContext>): unknown
  }

  const Resolver: new (options: { sharedCache: Cache }) => ContextResolver
  export default Resolver
}

declare module '@digitalcredentials/jsonld/lib/NQuads.js' {
  import type { Quad } from '@digitalcredentials/jsonld'

  const NQuads: { serialize(dataset: Quad[]): string }
  export default NQuads
}
