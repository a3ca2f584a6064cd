/** The metric math that the alarms use: numbers, names of series, arithmetic, comparisons, FILL, IF and DIFF, period by period. */

/** Values of consecutive periods; undefined where there are no data. */
export type Series = (number | undefined)[]

/** What an expression is of some periods. Throws for what CloudWatch would refuse too. */
export const calculate = (expression: string, series: Record<string, Series>): Series => {
  const length = Math.max(0, ...Object.values(series).map((values) => values.length))
  return new Parser(expression, series, length).all()
}

const TOKEN = /\s*(\d+(?:\.\d+)?|[A-Za-z_]\w*|>=|<=|==|[-+*/(),<>])/y

const tokensOf = (expression: string): string[] => {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < expression.trimEnd().length) {
    const [, token] = TOKEN.exec(expression) ?? []
    if (token === undefined) throw new Error(`${expression} can't be read`)
    tokens.push(token)
  }
  return tokens
}

type Operator = (a: number, b: number) => number

const COMPARISONS: Record<string, Operator> = {
  '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b),
  '<=': (a, b) => Number(a <= b),
  '>=': (a, b) => Number(a >= b),
  '==': (a, b) => Number(a === b),
}
const SUMS: Record<string, Operator> = { '+': (a, b) => a + b, '-': (a, b) => a - b }
const PRODUCTS: Record<string, Operator> = { '*': (a, b) => a * b, '/': (a, b) => a / b }

class Parser {
  readonly #tokens: string[]
  readonly #series: Record<string, Series>
  readonly #length: number

  constructor(expression: string, series: Record<string, Series>, length: number) {
    this.#tokens = tokensOf(expression)
    this.#series = series
    this.#length = length
  }

  all(): Series {
    const result = this.#comparison()
    if (this.#tokens.length > 0) throw new Error(`${this.#tokens.join(' ')} is too much`)
    return result
  }

  #comparison(): Series {
    return this.#binary(COMPARISONS, () => this.#binary(SUMS, () => this.#binary(PRODUCTS, () => this.#operand())))
  }

  /** Without data on one side there are none; nor where it is divided by 0. */
  #binary(operators: Record<string, Operator>, operand: () => Series): Series {
    let left = operand()
    for (let operator = operators[this.#tokens[0] ?? '']; operator !== undefined; ) {
      this.#tokens.shift()
      const right = operand()
      const apply = operator
      left = left.map((a, index) => {
        const b = right[index]
        const value = a === undefined || b === undefined ? undefined : apply(a, b)
        return value !== undefined && Number.isFinite(value) ? value : undefined
      })
      operator = operators[this.#tokens[0] ?? '']
    }
    return left
  }

  #operand(): Series {
    const token = this.#tokens.shift() ?? ''
    if (/^\d/.test(token)) return Array.from({ length: this.#length }, () => Number(token))
    if (token === '(') {
      const inner = this.#comparison()
      this.#expect(')')
      return inner
    }
    if (this.#tokens[0] === '(') return this.#call(token)
    const series = this.#series[token]
    if (series === undefined) throw new Error(`there is no metric ${token}`)
    return series
  }

  #call(name: string): Series {
    this.#expect('(')
    const parts: Series[] = [this.#comparison()]
    while (this.#tokens[0] === ',') {
      this.#tokens.shift()
      parts.push(this.#comparison())
    }
    this.#expect(')')
    const [first = [], second = [], third = []] = parts
    if (name === 'FILL' && parts.length === 2) return first.map((value, index) => value ?? second[index])
    if (name === 'IF' && parts.length === 3)
      return first.map((value, index) => (value === undefined ? undefined : value === 0 ? third[index] : second[index]))
    if (name === 'DIFF' && parts.length === 1)
      return first.map((value, index) => {
        const before = first[index - 1]
        return value === undefined || before === undefined ? undefined : value - before
      })
    throw new Error(`${name} with ${parts.length} arguments is unknown`)
  }

  #expect(token: string): void {
    if (this.#tokens.shift() !== token) throw new Error(`${token} is missing`)
  }
}
