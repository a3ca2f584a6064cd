/** The source of lib/agent: its classes, and what it imports from Credo. */
import { globSync, readFileSync } from 'node:fs'
import { type AnyNode, type AssignmentExpression, type CallExpression, type Class, type Program, parse } from 'acorn'
import { simple } from 'acorn-walk'
import { transformSync } from 'esbuild'

/** A class of ours, its superclass by name, and the names of its members. */
export interface OwnClass {
  file: string
  name: string
  superclass: string
  members: string[]
}

export interface Source {
  file: string
  text: string
  program: Program
  /** Package and name of imports from Credo, by local name. */
  imported: Map<string, { from: string; name: string }>
}

const read = (file: string): Source => {
  const text = readFileSync(file, 'utf8')
  const { code } = transformSync(text, { loader: 'ts', target: 'esnext', format: 'esm' })
  const imported: Source['imported'] = new Map()
  for (const [, names = '', from = ''] of text.matchAll(
    /import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(@credo-ts\/[^']+)'/g,
  ))
    for (const [, name = '', local = name] of names.matchAll(/(?:\btype )?\b(\w+)(?: as (\w+))?\s*(?:,|$)/g))
      imported.set(local, { from, name })
  return { file, text, program: parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), imported }
}

/** The text of `this.a`, `A.prototype.b`, `A.B`; empty for another expression. */
export const pathOf = (node: AnyNode): string => {
  if (node.type === 'ThisExpression') return 'this'
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'MemberExpression' || node.computed) return ''
  return node.property.type === 'Identifier' ? `${pathOf(node.object)}.${node.property.name}` : ''
}

/** Names of the members that a class defines, or sets on its instances. */
const membersOf = ({ body }: Class): string[] => {
  const names = body.body.flatMap((one) =>
    'key' in one && one.key.type === 'Identifier' && (one.type !== 'MethodDefinition' || one.kind !== 'constructor')
      ? [one.key.name]
      : [],
  )
  const isConstructed = body.body.some((one) => one.type === 'MethodDefinition' && one.kind === 'constructor')
  const set: string[] = []
  simple(body, {
    AssignmentExpression: ({ left }: AssignmentExpression) => set.push(/^this\.(\w+)$/.exec(pathOf(left))?.[1] ?? ''),
    CallExpression: ({ callee, arguments: [target, values] }: CallExpression) => {
      if (
        pathOf(callee) === 'Object.assign' &&
        target?.type === 'ThisExpression' &&
        values?.type === 'ObjectExpression'
      )
        for (const one of values.properties) if (one.type === 'Property') set.push(pathOf(one.key))
    },
  })
  return [...new Set([...names, ...set, ...(isConstructed ? ['constructor'] : [])])].filter((name) => name !== '')
}

/** Superclasses that are an argument: Credo's suites, one after the other. */
const ARGUMENTS: Record<string, string[]> = {
  'lib/agent/formats/json-ld/signature-suites.ts': ['Ed25519Signature2018', 'Ed25519Signature2020'],
}

/** Classes with a superclass. Throws for one whose superclass has no name. */
const classesIn = ({ file, program, imported }: Source): OwnClass[] => {
  const found: OwnClass[] = []
  const add = (node: Class): void => {
    if (!node.superClass) return
    const path = pathOf(node.superClass)
    const isNamed = imported.has(path.split('.')[0] ?? '') || /^[A-Z]/.test(path)
    const superclasses = isNamed ? [path] : (ARGUMENTS[file] ?? [])
    if (superclasses.length === 0) throw new Error(`${file} extends a class that is not named: ${path}`)
    for (const superclass of superclasses)
      found.push({ file, name: node.id?.name ?? '', superclass, members: membersOf(node) })
  }
  simple(program, { ClassDeclaration: add, ClassExpression: add })
  return found
}

export const sources = globSync('lib/agent/**/*.ts', { exclude: (name) => String(name).endsWith('.d.ts') })
  .toSorted()
  .map(read)

export const imported = new Map(sources.flatMap((source) => [...source.imported]))
export const ownClasses = sources.flatMap(classesIn)

/** Something that Credo exports; undefined for any other name. */
export const credoExport = async (path: string): Promise<unknown> => {
  const [first = '', ...rest] = path.split('.')
  const { from, name } = imported.get(first) ?? {}
  if (from === undefined || name === undefined) return undefined
  const exports: unknown = await import(from)
  return [name, ...rest].reduce<unknown>((value, member) => Reflect.get(Object(value), member), exports)
}
