/** The operator's guides against the code: every code that the log has is explained, and none that it has not. */

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { issuerKeysItem } from '../../lib/auth/confirmed-keys.ts'
import { REASON_PHRASES } from '../../lib/http/error-body.ts'
import { METRICS } from '../../lib/metrics.ts'
import { SINGLE_SORT_KEY } from '../../lib/store/keys.ts'

const guide = ['deploy', 'run', 'trouble'].map((page) => readFileSync(`docs/${page}.md`, 'utf8')).join('\n')
const section = (title: string): string => guide.split(/^## /m).find((text) => text.startsWith(title)) ?? ''

const CODE = /'([a-z_]+\.[a-z_]+)'/g

/** Codes of the lines that `lib/` and `functions/` write: whatever follows `event:`. */
const written = new Set(
  globSync(['lib/**/*.ts', 'functions/*.ts']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bevent: ([^\n]+)/g)].flatMap(([, text = '']) =>
      [...text.matchAll(CODE)].map(([, code = '']) => code),
    ),
  ),
)

const explained = [...section('Events of the log').matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, code = '']) => code),
)

describe('the events of the log', () => {
  test('are all explained, once', () => {
    expect(written.size).toBeGreaterThan(25)
    expect(explained.toSorted()).toEqual([...written].sort())
  })

  test('that count for an alarm are in the section of this alarm', () => {
    const shares = Object.entries(METRICS).flatMap(([metric, share]) =>
      share === undefined ? [] : [[metric, share.alarm] as const],
    )
    const counted = globSync(['lib/**/*.ts', 'functions/*.ts']).flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      return shares.flatMap(([metric, alarm]) =>
        [...text.matchAll(new RegExp(`values: \\{[^}]*\\b${metric}\\b`, 'g'))].map(({ index }) => {
          const events = [...text.slice(0, index).matchAll(/\bevent: '([a-z_.]+)'/g)]
          return { alarm, event: events.at(-1)?.[1] ?? file }
        }),
      )
    })
    expect(counted.length).toBeGreaterThan(20)
    const sections = guide.split(/^#{2,3} /m)
    const lacks = ({ alarm, event }: { alarm: string; event: string }) =>
      !sections.some((text) => text.startsWith(alarm) && text.includes(`\`${event}\``))
    expect(counted.filter(lacks)).toEqual([])
  })

  test('are what the queries ask for', () => {
    const asked = [...section('Queries').matchAll(/"([a-z_]+\.[a-z_]+)"/g)].flatMap(([, code = '']) =>
      code.startsWith('platform.') ? [] : [code],
    )
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter((code) => !written.has(code))).toEqual([])
  })
})

test('the queries are at least ten, each of a group of the log', () => {
  expect(section('Queries').match(/^\d+\. /gm)?.length).toBeGreaterThanOrEqual(10)
})

test('the statuses that callers may see are those of operations and of the gateway, and each 5xx is there', () => {
  const statuses = new Set([
    ...Object.keys(REASON_PHRASES).map(Number),
    ...[...readFileSync('infra/gateway-responses.yml', 'utf8').matchAll(/^ {2}statusCode: (\d+)$/gm)].map(
      ([, status]) => Number(status),
    ),
  ])
  const documented = [...section('A call fails').matchAll(/^\| (\d{3}[\d, ]*) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', ').map(Number),
  )
  expect(documented.filter((status) => !statuses.has(status))).toEqual([])
  expect(documented).toEqual(expect.arrayContaining([...statuses].filter((status) => status >= 500)))
})

test('the item with the keys of an issuer is looked for at its address', () => {
  const { pk, sk } = issuerKeysItem.addressOf({ jwksUri: 'https://id.example.org/jwks' })
  // The command leaves out the sort key, which is then this one.
  expect(sk).toBe(SINGLE_SORT_KEY)
  expect(guide).toContain(`npm run -s item -- "${pk.split('|')[0]}|$DIGEST"`)
})

describe('commands of the guides', () => {
  const blocks = [...guide.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, text = '']) => text)
  const inline = [
    ...guide.replaceAll(/^ *```sh\n[\s\S]*?^ *```/gm, '').matchAll(/`((?:aws|npm run|npx) [^`]+)`|^ {4}(aws .+)$/gm),
  ]
  const commands = [...blocks, ...inline.map(([, code, line]) => code ?? line ?? '')]

  test('take stage, account and names of the stack from variables', () => {
    expect(commands.length).toBeGreaterThan(20)
    for (const command of commands)
      expect(command).not.toMatch(/serverless-agent-(prod|dev)|--stage (prod|dev|<)|\b\d{12}\b|\.\.\./)
  })

  test('use no variable, and no function of the shell, that the guides do not set', () => {
    const set = new Set([...commands.join('\n').matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name]) => name))
    const used = [...commands.join('\n').matchAll(/\$\{?([A-Z][A-Z_]+)/g)].map(([, name = '']) => name)
    // Empty is what a stage without it has.
    expect(used.filter((name) => !set.has(name) && name !== 'BASE_PATH')).toEqual([])
    const called = [...commands.join('\n').matchAll(/\$\((\w+) /g)].map(([, name = '']) => name)
    const known = [
      'aws',
      'jq',
      'ssh',
      'date',
      'printf',
      ...[...guide.matchAll(/^ *(\w+)\(\) \{/gm)].map(([, name = '']) => name),
    ]
    expect(called.filter((name) => !known.includes(name))).toEqual([])
  })

  test('ask for outputs and resources that the stack has', () => {
    const asked = (name: string) =>
      [...guide.matchAll(new RegExp(`\\$\\(${name} (\\w+)\\)`, 'g'))].map(([, id = '']) => id)
    const sources = globSync('infra/*.yml').map((file) => readFileSync(file, 'utf8'))
    for (const name of ['output', 'resource']) {
      expect(asked(name).length).toBeGreaterThan(1)
      for (const id of asked(name))
        expect(
          sources.some((text) => text.includes(`\n  ${id}:`)),
          id,
        ).toBe(true)
    }
  })
})
