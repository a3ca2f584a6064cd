/** DynamoDB's expressions as this service writes them: conditions, changes and the keys of a query. */
import type { AttributeValue, Item } from '../../../lib/store/table.ts'

export interface Placeholders {
  ExpressionAttributeNames?: Record<string, string> | undefined
  ExpressionAttributeValues?: Item | undefined
}

/** An error as DynamoDB names it. */
export const awsError = (name: string, message: string): Error => Object.assign(new Error(message), { name })

/** The error with which DynamoDB rejects an invalid request. */
export const invalid = (message: string): Error => awsError('ValidationException', message)

type Test = (item: Item, placeholders: Placeholders) => boolean

/** Requests over HTTP have base64. */
const bytesOf = (value: Uint8Array | string): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, 'base64') : value

const compare = (a: AttributeValue, b: AttributeValue): number => {
  if (a.N !== undefined && b.N !== undefined) return Number(a.N) - Number(b.N)
  if (a.S !== undefined && b.S !== undefined) return a.S < b.S ? -1 : a.S > b.S ? 1 : 0
  if (a.BOOL !== undefined && a.BOOL === b.BOOL) return 0
  if (a.B !== undefined && b.B !== undefined) return Buffer.compare(bytesOf(a.B), bytesOf(b.B))
  return Number.NaN
}

const OPERATORS: Record<string, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
}

const nameOf = (token: string, { ExpressionAttributeNames = {} }: Placeholders): string =>
  ExpressionAttributeNames[token] ?? token

class Parser {
  readonly #tokens: string[]
  #next = 0

  constructor(expression: string) {
    this.#tokens = expression.match(/[()]|<=|>=|[=<]|[#:\w]+/g) ?? []
  }

  parse(): Test {
    const test = this.#parseOr()
    if (this.#next !== this.#tokens.length) throw invalid(`not supported in memory: ${this.#tokens.join(' ')}`)
    return test
  }

  #take(wanted?: string): string {
    const token = this.#tokens[this.#next++]
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw invalid(`expected ${wanted}, not ${token}`)
    return token
  }

  #parseTermsJoinedBy(word: 'AND' | 'OR', part: () => Test): Test[] {
    const parts = [part()]
    while (this.#tokens[this.#next] === word) {
      this.#take(word)
      parts.push(part())
    }
    return parts
  }

  #parseOr(): Test {
    const parts = this.#parseTermsJoinedBy('OR', () => this.#parseAnd())
    return (item, placeholders) => parts.some((part) => part(item, placeholders))
  }

  #parseAnd(): Test {
    const parts = this.#parseTermsJoinedBy('AND', () => this.#parseTerm())
    return (item, placeholders) => parts.every((part) => part(item, placeholders))
  }

  #parseTerm(): Test {
    const token = this.#take()
    if (token === '(') {
      const inner = this.#parseOr()
      this.#take(')')
      return inner
    }
    if (token === 'attribute_exists' || token === 'attribute_not_exists') {
      this.#take('(')
      const name = this.#take()
      this.#take(')')
      const wanted = token === 'attribute_exists'
      return (item, placeholders) => (item[nameOf(name, placeholders)] !== undefined) === wanted
    }
    const operator = OPERATORS[this.#take()]
    const value = this.#take()
    if (operator === undefined) throw invalid(`not supported in memory: the operator after ${token}`)
    return (item, placeholders) => {
      const [left, right] = [item[nameOf(token, placeholders)], placeholders.ExpressionAttributeValues?.[value]]
      return left !== undefined && right !== undefined && operator(compare(left, right))
    }
  }
}

const conditionCache = new Map<string, Test>()

/** Whether a condition holds for an item; undefined: for a missing item. */
export const holds = (expression: string | undefined, item: Item | undefined, placeholders: Placeholders): boolean => {
  if (expression === undefined) return true
  const test = conditionCache.get(expression) ?? new Parser(expression).parse()
  conditionCache.set(expression, test)
  return test(item ?? {}, placeholders)
}

const plus = ({ N: number }: AttributeValue, { N: added }: AttributeValue): AttributeValue => {
  if (number === undefined) throw invalid('An operand in the update expression has an incorrect data type')
  return { N: String(Number(number) + Number(added)) }
}

/** The item after `SET ... REMOVE ... ADD ...`. */
export const applyUpdate = (expression: string, item: Item, placeholders: Placeholders): Item => {
  const changed = { ...item }
  const value = (token = ''): AttributeValue => {
    const found = placeholders.ExpressionAttributeValues?.[token]
    if (found === undefined) throw invalid(`no value for ${token}`)
    return found
  }
  for (const [, keyword, list = ''] of expression.matchAll(/(SET|REMOVE|ADD) (.*?)(?= (?:SET|REMOVE|ADD) |$)/g))
    for (const part of list.split(', ')) {
      const [token = '', ...rest] = part.trim().split(' ')
      const name = nameOf(token, placeholders)
      if (keyword === 'SET') changed[name] = value(rest[1])
      else if (keyword === 'REMOVE') delete changed[name]
      else changed[name] = plus(changed[name] ?? { N: '0' }, value(rest[0]))
    }
  return changed
}
