/** What a caller would have an answer as: a page or JSON (RFC 9110, section 12.5.1). */
import { headerOf, type OperationEvent } from './event.ts'
import type { Wanted } from './request.ts'

/** The weight of a media type that is named as such, 0 where it is not: any type at all asks for neither. */
const weightOf = (ranges: string[], type: string): number => {
  for (const range of ranges) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}

export const wantedOf = (event: OperationEvent): Wanted => {
  const ranges = (headerOf(event, 'accept') ?? '').split(',')
  const json = weightOf(ranges, 'application/json')
  const page = weightOf(ranges, 'text/html')
  if (json === 0 && page === 0) return 'any'
  return json >= page ? 'json' : 'page'
}
