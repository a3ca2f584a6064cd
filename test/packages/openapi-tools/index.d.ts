/** The types of an OpenAPI document, as the text of a module. */
export declare const typesOf: (document: object) => Promise<string>

/** What is wrong with a document by Redocly's rules, and by some more or with other severities: a line for each. https://redocly.com/docs/cli/rules */
export declare const lint: (document: object, rules: Record<string, unknown>) => Promise<string[]>

/** Address of openapi-fetch, a client that is typed by what `typesOf` writes. */
export declare const fetchModule: string
