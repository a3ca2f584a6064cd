/** docs/operations.md against the code: every code that the log has is explained there, and none that it has not. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const guide = readFileSync('docs/operations.md', 'utf8')
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
