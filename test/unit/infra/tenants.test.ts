/** `npm run tenants`, as an operator types it: what is left of a removed tenant is listed and removed. */
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COMPILED } from '../../../infra/local/compile-cache.ts'
import { LAYOUT_ITEM } from '../../../lib/store/layout.ts'
import { addressOf, type Item } from '../../../lib/store/table.ts'
import { removedTenantItem, tenantAddress } from '../../../lib/tenants/tenants.ts'
import { endPrograms, runProgram, startProgram } from '../../support/stage/program.ts'
import { CREDENTIALS, REGION } from '../../support/table/dynamo.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ check: false })

const PROGRAM = resolve('infra/tenants.ts')
const env = {
  ...{ NODE_COMPILE_CACHE: COMPILED, AWS_REGION: REGION },
  ...{ AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId, AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey },
  ...{ TABLE_NAME: table.dynamo.table, DYNAMODB_ENDPOINT: table.dynamo.endpoint },
}

let cwd: string
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'tenants-'))
  await table.clear()
  await table.put(LAYOUT_ITEM)
})
afterEach(endPrograms)

const tenants = (...args: string[]) => runProgram(process.execPath, [PROGRAM, '--stage', 'prod', ...args], { env, cwd })

/** The last lines that the program has written, after the price. */
const leftovers = async (id: string, ...options: string[]) => {
  const { code, stdout, stderr } = await tenants('leftovers', id, '--yes', ...options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trimEnd().split('\n').slice(1)
}

const item = (pk: string, kind: string, more: Item = {}): Item => ({
  ...{ pk: { S: pk }, sk: { S: '~' }, kind: { S: kind }, content: { S: pk } },
  ...more,
})

const LATER = { expiresAt: { N: '4000000000' } }

/** What a removal may have left of a tenant, each with its line in the list, and whether it is removed. */
const leftOf = (id: string): [item: Item, line: string, isRemoved: boolean][] => [
  [item(`${id}|DidRecord|d1`, 'record'), 'record DidRecord', true],
  [item(`${id}|DidRecord|did|x`, 'entry', { sk: { S: '2026#d1' } }), 'entry DidRecord', true],
  [item(`${id}|DidRecord|did|y`, 'entry', LATER), 'entry DidRecord (expires)', false],
  [item(`${id}|key|k1`, 'key'), 'key', true],
  [item(`${id}|ConnectionRecord|c1`, 'outbox', { sk: { S: 'o1' } }), 'outbox', true],
  [item(`${id}|message|m1`, 'mark', LATER), 'mark (expires)', false],
  [item(`@invitation|${id} one`, 'invitation', { tenant: { S: id } }), 'invitation', true],
  [item(`@invitation|${id} two`, 'invitation', { tenant: { S: id }, ...LATER }), 'invitation (expires)', false],
  [item(`@openid|${id}`, 'openid-id', { tenant: { S: id } }), 'openid-id (kept)', false],
  [
    item('@destination|d|waiting|1', 'waiting-lane', { lane: { S: `${id}|ConnectionRecord|c1` }, sk: { S: id } }),
    'waiting-lane',
    true,
  ],
  [
    item(`@corrupt|${id}`, 'corrupt-item', { corruptPk: { S: `${id}|key|k2` }, ...LATER }),
    'corrupt-item (expires)',
    false,
  ],
  [item('@org|o1|tenants', 'organization-tenant', { sk: { S: id } }), 'organization-tenant', true],
]

/** Of its organization, which may have its id. */
const ofOrganization = (id: string): Item[] => [
  item(`@org|${id}`, 'registration'),
  item(`@org|${id}|data-key`, 'data-key'),
  item(`@outbox|${id}|e1|r1`, 'pending-event', { lane: { S: `@outbox|${id}|e1|r1` } }),
  item('@endpoint|e1|events|0', 'event', { ...LATER, body: { S: JSON.stringify({ tenantId: id }) }, sk: { S: id } }),
]

const markOf = (id: string, more: { keep?: 'public'; phase?: 'first'; removedAt?: string } = {}): Item =>
  removedTenantItem.encode({ id, removedAt: '2026-11-29T12:00:00.000Z', ...more })

const living = (id: string): Item => item(tenantAddress(id).pk, 'tenant', { id: { S: id } })

const allItems = async () => new Map((await table.items()).map((one) => [Object.values(addressOf(one)).join(' '), one]))

test.each([
  ['acme', ['acme2', 'acme.', 'acme:x', 'ACME', 'xacme']],
  ['a.b_c:d-1', ['a.b_c:d-12', 'a.b_c:d-', 'a-b_c:d-1', 'a%b_c:d-1']],
])('all of the tenant %s is listed and removed, and nothing of others with similar ids', async (id, others) => {
  const own = leftOf(id)
  const theirs = others.flatMap((other) => [living(other), ...leftOf(other).map(([one]) => one)])
  const unrelated = [...theirs, ...ofOrganization(id), item('@base|key|k1', 'key'), markOf(id)]
  await table.putAll([...own.map(([one]) => one), ...unrelated])
  const before = await allItems()
  const lines = own.map(([, line]) => `1 ${line}`).toSorted()
  expect(await leftovers(id)).toEqual([...lines, `12 items are left of ${id}; --remove removes 7`])
  expect(await allItems()).toEqual(before)

  expect(await leftovers(id, '--remove')).toEqual([
    ...lines.slice(1),
    `12 items are left of ${id}; --remove removes 7`,
    '7 items were removed',
  ])
  for (const [removed] of own.filter(([, , isRemoved]) => isRemoved))
    before.delete(Object.values(addressOf(removed)).join(' '))
  expect(await allItems()).toEqual(before)
  expect(await leftovers(id, '--remove')).toContain('0 items were removed')
  const kept = own.filter(([, , isRemoved]) => !isRemoved).map(([, line]) => `1 ${line}`)
  expect(await leftovers(id)).toEqual([...kept.toSorted(), `5 items are left of ${id}; --remove removes 0`])
})

test('what a removal with keep=public keeps is not removed', async () => {
  const removed = [item('acme|key|k1', 'key'), item('acme|OpenId4VcVerifierRecord|v', 'record')]
  const kept = [
    item('acme|did-web|document', 'web-document'),
    item('acme|webvh|log', 'webvh-log'),
    item('acme|OpenId4VcIssuerRecord|i', 'record'),
    item('acme|OpenId4VcIssuerRecord|*|x', 'entry'),
  ]
  await table.putAll([markOf('acme', { keep: 'public' }), ...removed, ...kept])
  expect(await leftovers('acme')).toContain('6 items are left of acme; --remove removes 2')
  await leftovers('acme', '--remove')
  expect(new Set(await table.items('acme'))).toEqual(new Set(kept))
})

test.each<[string, Item[]]>([
  ['acme has no mark of a removal: there was none, or it has expired', []],
  ['acme has no mark of a removal: there was none, or it has expired', [{ ...markOf('acme'), expiresAt: { N: '1' } }]],
  ['acme is a tenant that was not removed', [living('acme')]],
  ['the removal of acme has not ended: repeat this later', [markOf('acme', { phase: 'first' })]],
])('%s', async (line, items) => {
  const own = item('acme|key|k1', 'key')
  await table.putAll([own, ...items])
  for (const options of [[], ['--remove']])
    expect(await tenants('leftovers', 'acme', '--yes', ...options)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${line}\n`,
    })
  expect(await table.items('acme')).toEqual([own])
  expect(existsSync(join(cwd, '.tenants'))).toBe(false)
})

const USAGE = /^usage: npm run tenants .+\n$/
const ID = /^must be 1 to 64 characters.+\n$/

test.each<[RegExp, string[]]>([
  [USAGE, []],
  [USAGE, ['leftovers']],
  [USAGE, ['remove', 'acme']],
  [USAGE, ['leftovers', 'acme', 'other']],
  ...['a|b', '@base', '*', '..', 'a/b', ''].map((id): [RegExp, string[]] => [ID, ['leftovers', id]]),
  [/^--rate is a number of read units\n$/, ['leftovers', 'acme', '--rate', '0']],
  [/^--stage is the name of a stage\n$/, ['leftovers', 'acme', '--stage', '../x']],
])('%s for %j', async (line, args) => {
  expect(await tenants(...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
})

const LIST = '.tenants/prod/acme.json'

test('the price is shown, and nothing is done without a yes', async () => {
  await table.putAll([markOf('acme'), item('acme|key|k1', 'key')])
  const answered = async (answer: string, ...options: string[]) => {
    const program = startProgram(process.execPath, [PROGRAM, '--stage', 'prod', 'leftovers', 'acme', ...options], {
      env,
      cwd,
    })
    await program.says(/Go on\? \[y\/N\] $/)
    program.types(answer)
    return (await program.ended()).stdout
  }
  expect(await answered('n')).toMatch(
    /^This reads the whole table, 0\.00 GB, for about \$0\.00\.\n.+nothing was done\n$/,
  )
  expect(existsSync(join(cwd, LIST))).toBe(false)
  expect(await answered('y')).toMatch(/1 key\n1 items are left/)
  expect(statSync(join(cwd, LIST)).mode & 0o777).toBe(0o600)
  expect(await answered('n', '--remove')).toMatch(
    /^1 key\n1 items are left of acme; --remove removes 1\n.+nothing was done\n$/,
  )
  expect(await table.items('acme')).toHaveLength(1)
  expect(await answered('yes', '--remove')).toMatch(/1 items were removed\n$/)
  expect(await table.items('acme')).toEqual([])
})

test('what has changed since it was listed stays', async () => {
  const changed = [
    item('acme|key|k1', 'other'),
    item('acme|key|k2', 'key', LATER),
    item('@invitation|i', 'invitation', { tenant: { S: 'other' } }),
  ]
  await table.putAll([
    markOf('acme'),
    item('acme|key|k1', 'key'),
    item('acme|key|k2', 'key'),
    item('acme|key|k3', 'key'),
  ])
  await table.put(item('@invitation|i', 'invitation', { tenant: { S: 'acme' } }))
  await leftovers('acme')
  await table.putAll(changed)
  expect(await leftovers('acme', '--remove')).toContain('1 items were removed')
  expect((await allItems()).size).toBe(changed.length + 2)
})

test('a list of an earlier removal, or of another table, is not used', async () => {
  await table.putAll([markOf('acme'), item('acme|key|k1', 'key')])
  const missing = { code: 1, stderr: 'there is no complete list of what is left: run this without --remove first\n' }
  expect(await tenants('leftovers', 'acme', '--remove', '--yes')).toMatchObject(missing)
  await leftovers('acme')
  await table.put(markOf('acme', { removedAt: '2027-02-01T12:00:00.000Z' }))
  expect(await tenants('leftovers', 'acme', '--remove', '--yes')).toMatchObject(missing)
  expect(await table.items('acme')).toHaveLength(1)
})

test('a search goes on after a kill, and a removal waits for its end', async () => {
  const large = Array.from({ length: 40 }, (_, index) =>
    item(`acme|key|${index}`, 'key', { content: { S: 'x'.repeat(300_000) } }),
  )
  await table.put(markOf('acme'))
  for (const one of large) await table.put(one)
  const args = [PROGRAM, '--stage', 'prod', 'leftovers', 'acme', '--yes', '--rate', '100']
  const startedAt = Date.now()
  const program = startProgram(process.execPath, args, { env, cwd })
  await expect.poll(() => program.stderr()).toMatch(/read units, [1-9]\d* items found/)
  program.signal('SIGKILL')
  expect(await program.ended()).toMatchObject({ signal: 'SIGKILL' })
  const { units, leftovers: found } = JSON.parse(readFileSync(join(cwd, LIST), 'utf8'))
  expect(found.length).toBeLessThan(40)
  // The rate and a page.
  expect(units).toBeLessThan(((Date.now() - startedAt) / 1000) * 100 + 130)
  expect(await tenants('leftovers', 'acme', '--remove')).toMatchObject({ code: 1, stderr: /no complete list/ })
  const { stdout } = await tenants('leftovers', 'acme', '--yes')
  expect(stdout).toMatch(/^This reads the rest of the table.+\n40 key\n40 items are left/)
})
