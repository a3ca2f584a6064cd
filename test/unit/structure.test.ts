/** The arrows of docs/architecture.md, held by a test: who may import whom. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RECORDS } from '../../lib/records/kinds.ts'
import { exportOf, READING_FUNCTIONS } from '../support/source/operation-functions.ts'

/** What each folder may import, besides itself and the files at the top of `lib/`. */
const ARROWS: Record<string, string[]> = {
  functions: [
    'lib/http',
    'lib/auth',
    'lib/interface',
    'lib/records',
    'lib/store',
    'lib/readers',
    'lib/tenants',
    'lib/anoncreds',
    'lib/agent',
    'lib/outbox',
    'lib/webhooks',
    'lib/delivery',
    'lib/removal',
    'lib/jobs',
    'lib/pickup',
    'lib/revocation',
    'lib/removal',
    'lib/webvh',
    'lib/pages',
    'lib/openid',
    'lib/openid4vp',
    'lib/openid4vci',
    'lib/status-list',
    'lib/x509',
  ],
  'lib/agent': [
    'lib/interface',
    'lib/jobs',
    'lib/keys',
    'lib/pickup',
    'lib/revocation',
    'lib/anoncreds',
    'lib/tenants',
    'lib/outbox',
    'lib/egress',
    'lib/presentation-exchange',
    // Types only: see below.
    'lib/interface',
    'lib/store',
    'lib/records',
    'lib/webvh',
    'lib/indy',
  ],
  'lib/keys': ['lib/store', 'lib/records'],
  // lib/interface: types only, see below.
  'lib/x509': ['lib/jobs', 'lib/keys', 'lib/interface', 'lib/store', 'lib/records'],
  'lib/openid': ['lib/x509', 'lib/keys', 'lib/store', 'lib/records'],
  'lib/openid4vci': [
    'lib/openid',
    'lib/jose',
    'lib/x509',
    'lib/sd-jwt',
    'lib/status-list',
    'lib/keys',
    'lib/jobs',
    // Types only: see below.
    'lib/interface',
    'lib/store',
    'lib/records',
  ],
  'lib/openid4vp': [
    'lib/openid',
    'lib/jose',
    'lib/x509',
    'lib/sd-jwt',
    'lib/status-list',
    'lib/keys',
    'lib/jobs',
    'lib/egress',
    // Types only: see below.
    'lib/interface',
    'lib/store',
    'lib/records',
  ],
  'lib/delivery': ['lib/webhooks', 'lib/outbox', 'lib/egress', 'lib/tenants', 'lib/store', 'lib/records'],
  'lib/removal': [
    'lib/agent',
    'lib/anoncreds',
    'lib/jobs',
    'lib/keys',
    'lib/openid',
    'lib/openid4vci',
    'lib/openid4vp',
    'lib/outbox',
    'lib/pickup',
    'lib/records',
    'lib/revocation',
    'lib/status-list',
    'lib/store',
    'lib/tenants',
    'lib/webhooks',
    'lib/webvh',
  ],
  'lib/jobs': ['lib/outbox', 'lib/tenants', 'lib/store'],
  'lib/revocation': ['lib/jobs', 'lib/anoncreds', 'lib/store', 'lib/records', 'lib/indy'],
  'lib/anoncreds': ['lib/store', 'lib/records'],
  'lib/webhooks': ['lib/tenants', 'lib/pickup', 'lib/outbox', 'lib/egress', 'lib/store', 'lib/records'],
  'lib/pickup': ['lib/jobs', 'lib/outbox', 'lib/store', 'lib/records'],
  'lib/outbox': ['lib/egress', 'lib/store', 'lib/records'],
  'lib/egress': [],
  'lib/jose': [],
  'lib/sd-jwt': ['lib/jose'],
  'lib/status-list': ['lib/jose', 'lib/openid', 'lib/keys', 'lib/egress', 'lib/store', 'lib/records'],
  'lib/http': ['lib/auth', 'lib/interface', 'lib/store', 'lib/records'],
  'lib/pages': ['lib/openid4vci', 'lib/readers', 'lib/interface', 'lib/store', 'lib/records'],
  'lib/interface': ['lib/records', 'lib/egress', 'lib/presentation-exchange'],
  'lib/auth': ['lib/tenants', 'lib/egress', 'lib/store', 'lib/records'],
  'lib/tenants': ['lib/store', 'lib/records'],
  'lib/readers': ['lib/store', 'lib/records'],
  'lib/store': ['lib/records'],
  'lib/webvh': ['lib/store', 'lib/records'],
  'lib/indy': ['lib/records'],
  'lib/presentation-exchange': [],
  'lib/records': [],
  lib: [],
}

const files = globSync(['functions/*.ts', 'lib/**/*.ts'])
const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g

const readImports = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '')

const imports = new Map<string, string[]>()

const importsOf = (file: string): string[] => {
  const known = imports.get(file) ?? readImports(file)
  imports.set(file, known)
  return known
}

const localImportsOf = (file: string): string[] =>
  importsOf(file)
    // `.js` stands in text that is written for others.
    .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.js'))
    .map((specifier) => normalize(join(dirname(file), specifier)))

/** `lib/store` of `lib/store/table.ts`; `lib` of `lib/errors.ts`. */
const folderOf = (file: string): string => {
  const [top = '', second = '', third] = file.split('/')
  return top === 'lib' && third !== undefined ? `${top}/${second}` : top
}

const reachedBy = (file: string, reached = new Set<string>()): Set<string> => {
  if (reached.has(file)) return reached
  reached.add(file)
  for (const imported of localImportsOf(file)) reachedBy(imported, reached)
  return reached
}

test('the arrows go one way', () => {
  const against = files.flatMap((file) =>
    localImportsOf(file)
      .map((imported) => [folderOf(file), folderOf(imported), imported] as const)
      .filter(
        ([from, to, imported]) =>
          imported.endsWith('.ts') && from !== to && to !== 'lib' && !ARROWS[from]?.includes(to),
      )
      .map(([, , imported]) => `${file} → ${imported}`),
  )
  expect(against).toEqual([])
  expect(files.length).toBeGreaterThan(50)
})

test('the folders have no cycle', () => {
  const cycles = Object.keys(ARROWS).filter((folder) => {
    const reached = new Set<string>()
    const follow = (from: string): void => {
      for (const to of ARROWS[from] ?? []) {
        if (reached.has(to)) continue
        reached.add(to)
        follow(to)
      }
    }
    follow(folder)
    return reached.has(folder)
  })
  expect(cycles).toEqual([])
})

test('no two folders import each other, not even indirectly', () => {
  const imported = new Map<string, Set<string>>()
  for (const file of files)
    for (const other of localImportsOf(file).filter((path) => dirname(path) !== dirname(file)))
      imported.set(dirname(file), (imported.get(dirname(file)) ?? new Set()).add(dirname(other)))
  const reach = (folder: string, reached = new Set<string>()): Set<string> => {
    for (const other of imported.get(folder) ?? []) if (!reached.has(other)) reach(other, reached.add(other))
    return reached
  }
  expect([...imported.keys()].filter((folder) => reach(folder).has(folder))).toEqual([])
})

test('the unit of work reaches no schema of a record as the API shows it: every function that writes would have it', () => {
  const schemas = localImportsOf('lib/records/shown-records.ts').filter((path) =>
    /records\/(?!define-record|(?:\w+-)?kinds)/.test(path),
  )
  const reached = reachedBy('lib/store/unit-of-work.ts')
  expect(schemas.filter((path) => reached.has(path))).toEqual([])
  expect(schemas).not.toEqual([])
})

test('a job without Credo loads no Credo: run-jobs imports handlers when their jobs come', () => {
  const code = readFileSync('functions/run-jobs.ts', 'utf8')
  const atStart = [...code.matchAll(/^import (?!type).*'\.\.\/([^']+)'/gm)].map(([, path = '']) => path)
  expect(atStart).toContain('lib/jobs/run.ts')
  for (const file of [...atStart, 'lib/x509/expiry.ts', 'lib/pickup/expiry-job.ts', 'lib/openid4vci/revocation-job.ts'])
    expect([...reachedBy(file)].filter((path) => path.startsWith('lib/agent'))).toEqual([])
})

test('folders of lib/agent and lib/outbox have an index.ts each, and only descriptions of items behind it are imported from elsewhere', () => {
  const PART = /^lib\/(?:agent|outbox)\/.+\//
  const behind = files.flatMap((file) =>
    localImportsOf(file)
      .filter((path) => PART.test(path) && path.endsWith('.ts') && dirname(path) !== dirname(file))
      .filter((path) => !/\/index\.ts$|-items?\.ts$/.test(path))
      .map((path) => `${file} → ${path}`),
  )
  expect(behind).toEqual([])
})

describe('lib/agent', () => {
  const PART = /^lib\/agent\/.+\//

  test('is composed by each function that uses it, by the first of its imports', () => {
    const COMPOSED = /^lib\/agent\/compose[a-z-]*\.ts$/
    const uses = files.filter((file) => localImportsOf(file).some((path) => PART.test(path)))
    for (const file of uses.filter((file) => file.startsWith('functions/'))) {
      const parts = localImportsOf(file).filter((path) => path.startsWith('lib/agent/'))
      expect({ file, first: COMPOSED.test(parts[0] ?? '') }).toEqual({ file, first: true })
    }
    expect(uses.length).toBeGreaterThan(50)
  })

  test('casts through unknown and assigns to prototypes in credo/ only', () => {
    const FORCES = /\bas unknown as\b|\.prototype(?:\.\w+|\[[^\]]+\]) = |\bObject\.\w+\(\w+\.prototype\b/
    const forcing = files.filter((file) => /^lib\/agent\//.test(file) && FORCES.test(readFileSync(file, 'utf8')))
    expect(forcing).toEqual(['lib/agent/credo/root-agent.ts'])
  })
})

test('no file imports itself indirectly, not even a type', () => {
  const cycles = [...files, ...globSync('infra/**/*.ts')].filter((file) =>
    localImportsOf(file).some((imported) => reachedBy(imported).has(file)),
  )
  expect(cycles).toEqual([])
})

test('nothing of the service but operators’ tools scans the table', () => {
  const scanning = globSync('functions/*.ts').filter((file) => reachedBy(file).has('lib/store/scan.ts'))
  expect(scanning).toEqual([])
})

describe('reading functions', () => {
  test.each(READING_FUNCTIONS)('%s reaches no Credo', (name) => {
    const reached = [...reachedBy(`functions/${name}.ts`)]
    expect(reached.filter((file) => file.startsWith('lib/agent'))).toEqual([])
    expect(reached).toContain('lib/store/table.ts')
    expect(reached.flatMap(importsOf).filter((specifier) => specifier.startsWith('@credo-ts'))).toEqual([])
  })
})

test('the pipeline, reads of records and opening secrets import nothing of the unit of work, not even a type', () => {
  const readers = ['lib/http/query.ts', 'lib/store/record-reads.ts', 'lib/tenants/tenants.ts', 'lib/store/data-keys.ts']
  expect(readers.filter((file) => reachedBy(file).has('lib/store/unit-of-work.ts'))).toEqual([])
  expect(reachedBy('lib/http/command.ts')).toContain('lib/store/unit-of-work.ts')
})

test('only lib/agent knows Credo', () => {
  const others = files.filter((file) => folderOf(file) !== 'lib/agent')
  expect(others.filter((file) => importsOf(file).some((specifier) => specifier.startsWith('@credo-ts')))).toEqual([])
})

test('what wallets of OpenID call reaches nothing of lib/agent, and no library of a wallet', () => {
  const entries = files.filter((file) => /^lib\/(?:jose|x509|sd-jwt|status-list|openid4vp)\//.test(file))
  const reached = entries.flatMap((file) => [...reachedBy(file)])
  expect(reached.filter((file) => file.startsWith('lib/agent/'))).toEqual([])
  const packages = new Set(reached.flatMap(importsOf).filter((specifier) => !specifier.startsWith('.')))
  expect([...packages].filter((name) => /^(?:@credo-ts|@openid4vc|@sd-jwt|zod)(?:\/|$)/.test(name))).toEqual([])
  expect([...packages]).toContain('jose/jws/compact/verify')
})

test('lib/agent, lib/openid4vp and lib/x509 import types of contracts, and no contract', () => {
  const imported = files
    .filter((file) => /^lib\/(agent|openid4vp|x509)\//.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^import (type )?[^']*'[./]+\/interface\//gm)])
  expect(imported.length).toBeGreaterThan(5)
  expect(imported.filter(([, type]) => type === undefined)).toEqual([])
})

test('only lib/store knows DynamoDB', () => {
  const knows = (file: string) => importsOf(file).some((specifier) => /dynamodb/.test(specifier))
  expect(files.filter((file) => folderOf(file) !== 'lib/store' && knows(file))).toEqual([])
})

test('a key is written where its item is described, but for keys that several folders read', () => {
  const code = (file: string) => readFileSync(file, 'utf8')
  const writes = (file: string) => /`(\$\{[\w.]+\}|@[a-z]+)\|/.test(code(file)) && !/ defineItem\(/.test(code(file))
  // Regular expressions look alike; these know no store.
  const others = files.filter((file) => folderOf(file) !== 'lib/presentation-exchange')
  expect(others.filter(writes)).toEqual(['lib/store/keys.ts', 'lib/outbox/wake-ups/keys.ts'])
})

test('lib/store names no kind of record', () => {
  const kinds = new RegExp(`'(${RECORDS.map(({ type }) => type).join('|')})'|\\w+Records\\b[^\\n]* from '../records/`)
  const naming = files.filter((file) => folderOf(file) === 'lib/store' && kinds.test(readFileSync(file, 'utf8')))
  expect(naming).toEqual([])
})

test('only lib/settings.ts reads the environment', () => {
  const readers = files.filter((file) =>
    /process\.env/.test(readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')),
  )
  expect(readers).toEqual(['lib/settings.ts'])
})

test('only the guarded client connects to third parties, one to addresses of the settings, one to AWS, and traces go to localhost', () => {
  const connects = (file: string) =>
    importsOf(file).some((name) => /^(node:)?(http|https|http2|tls|dgram)$|^undici/.test(name)) ||
    /\bfetch\(|\bnew (Socket|WebSocket)\(/.test(readFileSync(file, 'utf8'))
  expect(files.filter(connects).toSorted()).toEqual([
    'lib/egress/operator-address.ts',
    'lib/egress/post.ts',
    'lib/store/lean-client.ts',
    'lib/store/trace.ts',
  ])
  const users = files.filter((file) => localImportsOf(file).includes('lib/egress/operator-address.ts'))
  expect(users).toEqual(['lib/auth/fetch-issuer-keys.ts'])
})

test('every function is one operation: it exports the handler that its file is named after', () => {
  const names = globSync('functions/*.ts').map((file) => {
    const name = exportOf(file.slice('functions/'.length, -'.ts'.length))
    const exported = [...readFileSync(file, 'utf8').matchAll(/^export (?:const|async function|function) (\w+)/gm)]
    return { file, name, exported: exported.map(([, found]) => found) }
  })
  for (const { file, name, exported } of names) expect({ file, exported }).toEqual({ file, exported: [name] })
})

test('every line of the log has an event code that docs/trouble.md lists', () => {
  const guide = readFileSync('docs/trouble.md', 'utf8')
  const calls = files
    .filter((file) => importsOf(file).some((specifier) => specifier.endsWith('/log.ts')))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split(/(?<![\w.])log\(/)
        .slice(1),
    )
  const codesOf = (call: string) => [...(/\bevent: ([^\n]*)/.exec(call)?.[1] ?? '').matchAll(/'([a-z_]+\.[a-z_]+)'/g)]
  expect(calls.length).toBeGreaterThan(20)
  for (const call of calls) expect(codesOf(call), call.slice(0, 200)).not.toEqual([])
  const codes = calls.flatMap(codesOf).map(([, code]) => code)
  expect(codes.filter((code) => !guide.includes(`\`${code}\``))).toEqual([])
})

test('every file says in its first line what it is for', () => {
  const silent = files.filter((file) => !/^\/\*\*[^\n]{20,}/.test(readFileSync(file, 'utf8').replace('/**\n *', '/**')))
  expect(silent).toEqual([])
})

test('no file of the service is longer than 300 lines', () => {
  expect(files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 300)).toEqual([])
})

describe('no test depends on how fast the machine is', () => {
  // What measures (bench) or shows how long something took is no test.
  const tests = globSync(
    'test/{unit,api,interop,attacks,simulation,anoncreds,faults,property,bundles,pages,stage}/**/*.ts',
  )
  const holding = (pattern: RegExp) => tests.filter((file) => pattern.test(readFileSync(file, 'utf8')))

  test('none has its own timeout: vitest.config.ts has one for all', () => {
    expect(
      holding(/\b(?:test|describe)[^\n]*, \{ timeout: |^ *\},\s+[\d_]{4,},?\s*\)$|\bvi\.wait(?:For|Until)\(/m),
    ).toEqual([])
  })

  test('none compares the time that something took with a number', () => {
    expect(
      holding(
        /expect\([^\n]*(?:performance|Date)\.now\(\) - \w+\)\.toBeLess|Math\.abs\([^\n]*(?:\bnow\b|epochSeconds\(\))[^\n]*\)\.toBeLess|process\.(?:cpuUsage|hrtime)/,
      ),
    ).toEqual([])
  })
})
