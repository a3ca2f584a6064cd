/**
 * Finds where lib/agent changes Credo, by its source: overrides, registrations in a container, assignments to
 * prototypes and copies; and what bundles leave out and rewrite of it. Credo's extension points (options, interfaces, middleware, handlers, errors to extend) are no changes.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { AssignmentExpression, CallExpression } from 'acorn'
import { simple } from 'acorn-walk'
import { LATE_MODULES, REFLECTS, TOUCHED_LATE } from '../../../infra/bundle/cold-start.ts'
import { NEVER_CALLED } from '../../../infra/bundle/slim-packages.ts'
import { type Constructor, chainOf, hashOf, isClass, originalText } from './originals.ts'
import { credoExport, imported, type OwnClass, ownClasses, pathOf, type Source, sources } from './sources.ts'

export interface Patch {
  /** Credo's: `Class.member`, or what is registered in the container. */
  of: string
  /** Ours. */
  file: string
}

const REGISTER =
  /\.(?:registerInstance|registerSingleton|registerContextScoped|container\.register)$|^container\.register$/

/** Credo's class that a class of ours extends, by way of others of ours. Undefined for none, and for an error. */
const credoBaseOf = async ({ superclass }: Pick<OwnClass, 'superclass'>): Promise<Constructor | undefined> => {
  const own = ownClasses.find(({ name }) => name === superclass)
  if (own !== undefined && !imported.has(superclass)) return credoBaseOf(own)
  const base = await credoExport(superclass)
  return isClass(base) && !(base.prototype instanceof Error) ? base : undefined
}

/** Overrides of members, and of the constructors that ours call in place of Credo's container. */
const overrides = async (): Promise<Patch[]> => {
  const found = ownClasses.map(async (own) => {
    const base = await credoBaseOf(own)
    return base === undefined
      ? []
      : own.members
          .filter((member) => originalText(base, member) !== undefined)
          .map((member) => ({ of: `${base.name}.${member}`, file: own.file }))
  })
  return (await Promise.all(found)).flat()
}

const calls = ({ program }: Source): CallExpression[] => {
  const found: CallExpression[] = []
  simple(program, { CallExpression: (call: CallExpression) => found.push(call) })
  return found
}

const registrations = (): Patch[] =>
  sources.flatMap((source) =>
    calls(source)
      .filter(({ callee }) => REGISTER.test(pathOf(callee)))
      .flatMap(({ arguments: [token] }) => (token === undefined ? [] : [pathOf(token)]))
      .filter((token) => source.imported.has(token.split('.')[0] ?? ''))
      .map((token) => ({ of: `container: ${token}`, file: source.file })),
  )

const prototypeAssignments = (): Patch[] =>
  sources.flatMap(({ file, program }) => {
    const found: Patch[] = []
    simple(program, {
      AssignmentExpression: ({ left }: AssignmentExpression) => {
        const [, base, member] = /^(.+)\.prototype\.(\w+)$/.exec(pathOf(left)) ?? []
        if (base !== undefined && imported.has(base)) found.push({ of: `${base}.${member}`, file })
      },
    })
    return found
  })

/** Classes of Credo that a class of ours is in place of, which it says by `implements`: all of their members. */
const replacements = async (): Promise<Patch[]> => {
  const found = sources.map(async ({ file, text }) => {
    const clauses = [...text.matchAll(/^(?:export )?class\s[^{]*?\bimplements\s([^{]*)\{/gm)].map(
      ([, clause]) => clause,
    )
    const names = [...clauses.join().matchAll(/(?<![<\w]\s*)(?:Pick<|Omit<|\b)([A-Z]\w+)/g)].map(
      ([, name = '']) => name,
    )
    const bases = (await Promise.all(names.map(credoExport))).filter(isClass)
    return bases.flatMap((base) =>
      Object.getOwnPropertyNames(base.prototype).map((member) => ({ of: `${base.name}.${member}`, file })),
    )
  })
  return (await Promise.all(found)).flat()
}

const CREDO_MODULES = globSync(
  'node_modules/@credo-ts/{core,didcomm,anoncreds,question-answer}/build/**/*.mjs',
).toSorted()

/** What Credo's modules import, with the modules that import it: packages, and modules of its own by their names. */
const importersOf = (isOurs: (file: string, name: string) => boolean): Map<string, string[]> => {
  const importers = new Map<string, string[]>()
  for (const file of CREDO_MODULES)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import) "([^"]+)"/g)) {
      const name = path.startsWith('.') ? basename(path) : path
      if (isOurs(file, path)) importers.set(name, [...(importers.get(name) ?? []), file])
    }
  return importers
}

const SLIM = 'infra/bundle/slim-packages.ts'
const COLD_START = 'infra/bundle/cold-start.ts'

const textsOf = (files: readonly string[]): string => files.map((file) => readFileSync(file, 'utf8')).join('\n')

/** What bundles do with Credo: the change, our file, and the text that is pinned. */
const inBundles: { of: string; file: string; text: string }[] = [
  ...[...importersOf((_, path) => NEVER_CALLED.test(path))].map(([name, importers]) => ({
    ...{ of: `bundle: ${name}`, file: SLIM, text: importers.join('\n') },
  })),
  ...[...importersOf((file, path) => TOUCHED_LATE.test(path) || LATE_MODULES.test(resolve(dirname(file), path)))].map(
    ([name, importers]) => ({ of: `late: ${name}`, file: COLD_START, text: importers.join('\n') }),
  ),
  {
    ...{ of: 'rewritten: decorateMetadata.mjs', file: COLD_START },
    text: textsOf(CREDO_MODULES.filter((file) => REFLECTS.test(resolve(file)))),
  },
  {
    ...{ of: 'rewritten: sideEffects', file: SLIM },
    text: globSync('node_modules/@credo-ts/{core,didcomm,anoncreds,question-answer}/package.json')
      .toSorted()
      .map((file) => `${file} ${JSON.stringify(JSON.parse(readFileSync(file, 'utf8')).sideEffects)}`)
      .join('\n'),
  },
]

/** Copies from Credo, each declared in a comment beside it. */
const copies = (): Patch[] =>
  sources.flatMap(({ file, text }) =>
    [...text.matchAll(/Copied from `(\w+)` of Credo/g)].map(([, name]) => ({ of: `copy: ${name}`, file })),
  )

/** The module that defines a constant of Credo's, for its values and those beside it. */
const definitionOf = (name: string): string => {
  const module = CREDO_MODULES.find((file) => readFileSync(file, 'utf8').includes(`\nconst ${name} = `))
  return textsOf(CREDO_MODULES.filter((file) => module !== undefined && dirname(file) === dirname(module)))
}

/** All changes of Credo. */
export const findPatches = async (): Promise<Patch[]> => [
  ...(await overrides()),
  ...(await replacements()),
  ...registrations(),
  ...prototypeAssignments(),
  ...inBundles.map(({ of, file }) => ({ of, file })),
  ...copies(),
]

/** The texts by which Credo registers services: `register` of its modules, and its agent's constructor. */
const registering = async (): Promise<string[]> => {
  const packages = [...new Set([...imported.values()].map(({ from }) => from))].toSorted()
  const exports: object[] = await Promise.all(packages.map((from) => import(from)))
  const classes = exports.flatMap((one) => Object.values(one)).filter(isClass)
  const registers = classes.filter(({ prototype }) => Object.hasOwn(prototype, 'register'))
  const agents = classes.filter(({ name }) => name === 'Agent').map((agent) => originalText(agent, 'constructor'))
  return [...registers.map((one) => originalText(one, 'register')), ...agents].filter((text) => text !== undefined)
}

const registrationText = async (of: string, texts: readonly string[]): Promise<string> => {
  const name = new RegExp(`\\b${of.replace('.', '\\.')}\\b`)
  const found = texts.filter((text) => name.test(text))
  const token = await credoExport(of)
  // Credo's container makes an unregistered service by its constructor.
  return found.length > 0 || !isClass(token) ? found.join('\n') : (originalText(token, 'constructor') ?? '')
}

/** The part of Credo that a patch changes, as text. Throws if it does not exist. */
const textOf = async ({ of }: Patch, texts: readonly string[]): Promise<string> => {
  const bundled = inBundles.find((one) => one.of === of)
  if (bundled !== undefined) return bundled.text
  const [, kind, name = ''] = /^(container|copy): (.+)$/.exec(of) ?? []
  if (kind === 'container') return registrationText(name, texts)
  if (kind === 'copy') return definitionOf(name)
  const [className = '', member = ''] = of.split('.')
  const base = await credoExport(className)
  const text = isClass(base) ? originalText(base, member) : undefined
  if (text === undefined) throw new Error(`Credo has no ${of}`)
  return text
}

/** The hash of each original, by its name. */
export const pinsOf = async (patches: readonly Patch[]): Promise<Record<string, string>> => {
  const texts = await registering()
  const pins = await Promise.all(patches.map(async (patch) => [patch.of, hashOf(await textOf(patch, texts))] as const))
  return Object.fromEntries(pins.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Classes of ours that extend one of Credo's, by what a module exports when it runs: the members that both have. */
export const exportedOverrides = async (exports: object): Promise<string[]> => {
  const found: string[] = []
  for (const own of Object.values(exports).filter(isClass)) {
    for (const base of chainOf(own).slice(1)) {
      if ((await credoExport(base.name)) !== base || base.prototype instanceof Error) continue
      const names = Object.getOwnPropertyNames(own.prototype).filter((name) => name in base.prototype)
      found.push(...names.filter((name) => name !== 'constructor').map((name) => `${base.name}.${name}`))
      break
    }
  }
  return found
}
