/**
 * The response to a browser's preflight request before it calls from another origin, as AWS and the local stage give
 * it.
 */
import type { Cors } from '../service.ts'

/** `methods`: those that the path has, in any case; OPTIONS itself is added. */
export const preflightHeaders = ({ origin, headers, maxAge }: Cors, methods: string[]): Record<string, string> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Allow-Headers': headers.join(','),
  'Access-Control-Allow-Methods': ['OPTIONS', ...methods.map((method) => method.toUpperCase())].join(','),
  'Access-Control-Max-Age': String(maxAge),
})
