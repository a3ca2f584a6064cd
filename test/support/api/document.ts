/** The OpenAPI document that the stage of the api layer serves, by its operations. */

import type { Json } from '../stage/in-process-stage.ts'
import { api } from './scene.ts'

export const { document } = api.description

/** Every operation with its address in the document. */
export const operations: { method: string; path: string; at: string; operation: Json }[] = Object.entries<Json>(
  document.paths,
).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    at: `#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`,
    operation,
  })),
)
export const operationNamed = (operationId: string) => {
  const found = operations.find(({ operation }) => operation.operationId === operationId)
  if (found === undefined) throw new Error(`there is no ${operationId}`)
  return found
}

/** The value that a reference leads to. */
export const resolve = (value: Json): Json =>
  value?.$ref === undefined
    ? value
    : value.$ref
        .slice(2)
        .split('/')
        .reduce((part: Json, name: string) => part?.[decodeURIComponent(name).replaceAll('~1', '/')], document)
