/** The types of an OpenAPI document, as the text of a module. */
export declare const typesOf: (document: object) => Promise<string>
