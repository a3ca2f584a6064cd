/** openapi-typescript with its own TypeScript: it writes TypeScript by the compiler's API, which TypeScript 7 does not have. */
import openapiTypescript, { astToString } from 'openapi-typescript'

/** The types of an OpenAPI document, as the text of a module. */
export const typesOf = async (document) => astToString(await openapiTypescript(document))
