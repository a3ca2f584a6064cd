/** Headers of requests and responses as API Gateway reads, counts and renames them. */
import type { Response } from 'serverless-offline'

/** Names and values, alternately, as Node has them. */
type RawHeaders = string[]

/**
 * Bytes of a request's header lines, "including header names, values, any line terminators, and whitespaces", that a
 * REST API accepts.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
export const MAX_HEADER_BYTES = 10_240

/** Bytes of a colon and a space, or of the end of a line. */
const SEPARATOR = 2

/** Node decodes a byte as a character. */
export const sizeOfHeaders = (rawHeaders: RawHeaders): number =>
  rawHeaders.reduce((size, text) => size + text.length + SEPARATOR, 0)

export const hasHeader = (rawHeaders: RawHeaders, name: string): boolean =>
  rawHeaders.some((text, index) => index % 2 === 0 && text.toLowerCase() === name)

export const withoutHeaders = (rawHeaders: RawHeaders, names: string[]): RawHeaders =>
  rawHeaders.filter((_, index) => !names.includes(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''))

const REMAPPED = 'www-authenticate'

/**
 * Renames what a REST API does not pass on from a function.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
export const remapHeaders = ({ headers }: Response): void => {
  if (headers[REMAPPED] === undefined) return
  headers[`x-amzn-remapped-${REMAPPED}`] = headers[REMAPPED]
  delete headers[REMAPPED]
}
