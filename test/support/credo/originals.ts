/** The text of a class's members at run time: the pinned parts of Credo. */
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

/** A member in the text of a class: the text is as it was written, whatever was assigned to the prototype since. */
interface Member {
  name: string | undefined
  isConstructor: boolean
  isField: boolean
  text: string
}

const membersOf = (one: Constructor): Member[] => {
  const text = `(${String(one)})`
  const [statement] = parse(text, { ecmaVersion: 'latest' }).body
  const node: Expression | undefined = statement?.type === 'ExpressionStatement' ? statement.expression : undefined
  if (node?.type !== 'ClassExpression') return []
  return node.body.body.flatMap((member) =>
    member.type === 'StaticBlock'
      ? []
      : {
          name: member.key.type === 'Identifier' ? member.key.name : undefined,
          isConstructor: member.type === 'MethodDefinition' && member.kind === 'constructor',
          isField: member.type === 'PropertyDefinition',
          text: text.slice(member.start, member.end),
        },
  )
}

const joined = (members: readonly Member[]): string | undefined =>
  members.length === 0 ? undefined : members.map(({ text }) => text).join('\n')

/** The text of a class's constructor and fields; of its own or of the class that it extends. */
const constructorText = (chain: readonly Constructor[]): string | undefined => {
  for (const one of chain) {
    const text = joined(membersOf(one).filter(({ isConstructor, isField }) => isConstructor || isField))
    if (text !== undefined) return text
  }
  return undefined
}

/**
 * The text of a member: of an instance, of the class itself, or of the constructor, which is also the text of what it
 * sets. Undefined if neither the class nor a class that it extends has one.
 */
export const originalText = (base: Constructor, member: string): string | undefined => {
  const chain = chainOf(base)
  if (member === 'constructor') return constructorText(chain)
  for (const one of chain) {
    const text = joined(membersOf(one).filter(({ name, isField }) => name === member && !isField))
    if (text !== undefined) return text
  }
  const setBy = chain.find((one) =>
    new RegExp(`this\\.${member} = |^\\s*${member} = `, 'm').test(constructorText([one]) ?? ''),
  )
  return setBy && constructorText([setBy])
}

/** The hash of a text, shortened. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
