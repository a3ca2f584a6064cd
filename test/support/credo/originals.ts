/** The text of a class's members, as it runs: what is pinned of Credo. */
import { createHash } from 'node:crypto'
import { type Expression, parse } from 'acorn'

export type Constructor = { name: string; prototype: object }

export const isClass = (value: unknown): value is Constructor =>
  typeof value === 'function' && /^class\b/.test(String(value))

/** A class and the classes that it extends. */
export const chainOf = (base: Constructor): Constructor[] => {
  const parent: unknown = Object.getPrototypeOf(base)
  return isClass(parent) ? [base, ...chainOf(parent)] : [base]
}

/** The text of a class's constructor, without the methods; of its own or of the class that it extends. */
const constructorText = (chain: readonly Constructor[]): string | undefined => {
  for (const one of chain) {
    const text = `(${String(one)})`
    const { body } = parse(text, { ecmaVersion: 'latest' })
    const [statement] = body
    const node: Expression | undefined = statement?.type === 'ExpressionStatement' ? statement.expression : undefined
    const found =
      node?.type === 'ClassExpression'
        ? node.body.body.filter(
            (member) =>
              member.type === 'PropertyDefinition' ||
              (member.type === 'MethodDefinition' && member.kind === 'constructor'),
          )
        : []
    if (found.length > 0) return found.map(({ start, end }) => text.slice(start, end)).join('\n')
  }
  return undefined
}

const descriptorText = ({ get, set, value }: PropertyDescriptor): string =>
  typeof value === 'function' || (get === undefined && set === undefined)
    ? String(value)
    : [get, set].map(String).join('\n')

/**
 * The text of a member: of an instance, of the class itself, or of the constructor, which is also the text of what it
 * sets. Undefined if neither the class nor a class that it extends has one.
 */
export const originalText = (base: Constructor, member: string): string | undefined => {
  const chain = chainOf(base)
  if (member === 'constructor') return constructorText(chain)
  for (const one of chain)
    for (const holder of [one.prototype, one]) {
      const descriptor = Object.getOwnPropertyDescriptor(holder, member)
      if (descriptor !== undefined) return descriptorText(descriptor)
    }
  const setBy = chain.find((one) =>
    new RegExp(`this\\.${member} = |^\\s*${member} = `, 'm').test(constructorText([one]) ?? ''),
  )
  return setBy && constructorText([setBy])
}

/** The hash of a text, shortened. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
