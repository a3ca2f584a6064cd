/**
 * Finds in JavaScript what can turn text into code, by its syntax. Node's `--disallow-code-generation-from-strings` stops the first of these at
 * run time, but neither `node:vm`, `Module._compile`, imports of `data:` URLs, Workers nor child processes.
 * What a program computes (`x[name]`) it does not see.
 */
import { type AnyNode, type AssignmentProperty, type MemberExpression, parse } from 'acorn'
import { fullAncestor } from 'acorn-walk'

export interface Finding {
  what: string
  /** Place in the text: offset in characters. */
  start: number
}

/** Globals that run text, or what is given as text or bytes; by whatever object they are reached. */
const GLOBALS = new Set(['eval', 'Function', 'ShadowRealm', 'WebAssembly', 'Worker', 'SharedWorker', 'importScripts'])

/** Methods of Node that compile, run or load what they are given, or that lift the flag's ban. */
const METHODS = new Set([
  '_compile',
  '_load',
  '_linkedBinding',
  'binding',
  'compileFunction',
  'createRequire',
  'dlopen',
  'runInContext',
  'runInNewContext',
  'runInThisContext',
  'setFlagsFromString',
])

/** Node's own modules that compile, run or load what they are given, or start programs. */
const MODULES = /^(node:)?(vm|module|worker_threads|child_process|cluster|v8|repl|inspector|wasi|test)(\/.+)?$/

/** Machine code, which this cannot analyze. */
const NATIVE = /\.(node|so)$/

/** What loads a module by its name. `atOnce` is the bundles' own `require` (infra/bundle/bundle.ts). */
const LOADERS = new Set(['require', 'atOnce', 'getBuiltinModule'])

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate'])

/** Members that use one of these, instead of only inspecting it. */
const USES = new Set(['constructor', 'call', 'apply', 'bind', 'compile', 'instantiate', 'Module'])

const COMPARISONS = new Set(['==', '===', '!=', '!==', 'instanceof', 'in'])

/** The text of a string or of a template without expressions. */
const textOf = (node: AnyNode): string | undefined => {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined
  return undefined
}

/** The name of a property of an expression or of a pattern, where the text says it. */
const nameOf = (node: MemberExpression | AssignmentProperty): string | undefined => {
  const key = node.type === 'MemberExpression' ? node.property : node.key
  if (!node.computed && key.type === 'Identifier') return key.name
  return textOf(key)
}

/** The name by which a function is called: `f` of `f()` and of `x.f()`. */
const calleeOf = (callee: AnyNode): string | undefined => {
  if (callee.type === 'Identifier') return callee.name
  return callee.type === 'MemberExpression' ? nameOf(callee) : undefined
}

const loadedModule = (specifier: AnyNode | undefined, how: string): string | undefined => {
  const name = specifier === undefined ? undefined : textOf(specifier)
  if (name === undefined) return `${how}(computed)`
  return MODULES.test(name) || NATIVE.test(name) || name.startsWith('data:')
    ? `${how}(${name.split(',', 1)[0]})`
    : undefined
}

/** Whether the node is only inspected: compared, asked for its type, replaced, or a member is read. */
const isLookedAt = (node: AnyNode, parent: AnyNode | undefined): boolean => {
  if (parent === undefined) return false
  if (parent.type === 'BinaryExpression') return COMPARISONS.has(parent.operator)
  if (parent.type === 'UnaryExpression') return true
  if (parent.type === 'AssignmentExpression') return parent.left === node && parent.operator === '='
  return parent.type === 'MemberExpression' && parent.object === node && !USES.has(nameOf(parent) ?? 'constructor')
}

const isText = (node: AnyNode | undefined): boolean =>
  node !== undefined && (textOf(node) !== undefined || ['TemplateLiteral', 'BinaryExpression'].includes(node.type))

const ofCall = (callee: AnyNode, args: AnyNode[]): string | undefined => {
  const name = calleeOf(callee) ?? ''
  if (TIMERS.has(name) && isText(args[0])) return `${name}(text)`
  if (LOADERS.has(name) && args.length > 0) return loadedModule(args[0], name)
  // Reflect.get(x, 'constructor') and the like.
  return args.some((arg) => textOf(arg) === 'constructor') ? `${name}('constructor')` : undefined
}

const ofName = (name: string | undefined, node: AnyNode, parent: AnyNode | undefined): string | undefined => {
  if (name === undefined || isLookedAt(node, parent)) return undefined
  return GLOBALS.has(name) || METHODS.has(name) || name === 'constructor' ? name : undefined
}

const findingOf = (node: AnyNode, parent: AnyNode | undefined): string | undefined => {
  switch (node.type) {
    case 'Identifier':
      return GLOBALS.has(node.name) ? ofName(node.name, node, parent) : undefined
    case 'MemberExpression':
      return ofName(nameOf(node), node, parent)
    case 'ObjectPattern':
      return node.properties
        .map((property) => (property.type === 'Property' ? ofName(nameOf(property), property, undefined) : undefined))
        .find((name) => name !== undefined)
    case 'CallExpression':
    case 'NewExpression':
      return ofCall(node.callee, node.arguments)
    case 'ImportExpression':
      return loadedModule(node.source, 'import')
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      return node.source ? loadedModule(node.source, 'import') : undefined
    default:
      return undefined
  }
}

/** What is found in the text of a module. Throws a `SyntaxError`. */
export const textToCode = (text: string): Finding[] => {
  const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module' })
  const findings: Finding[] = []
  fullAncestor(program, (found, _, ancestors) => {
    const node = found as AnyNode
    const what = findingOf(node, ancestors.at(-2) as AnyNode | undefined)
    if (what !== undefined) findings.push({ what, start: node.start })
  })
  return findings
}
