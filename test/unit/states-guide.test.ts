/** docs/states.md: its diagrams have every state of the records, and no other. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONNECTION_STATES } from '../../lib/records/connection.ts'
import { CREDENTIAL_STATES } from '../../lib/records/credential-exchange.ts'
import { OUT_OF_BAND_STATES } from '../../lib/records/out-of-band.ts'
import { PROOF_STATES } from '../../lib/records/proof.ts'

const sections = readFileSync('docs/states.md', 'utf8').split(/^## /m)

/** The states that a section's diagrams lead to. */
const drawn = (title: string): string[] => {
  const section = sections.find((text) => text.startsWith(title)) ?? ''
  const diagrams = [...section.matchAll(/^```mermaid\n([\s\S]*?)^```/gm)].map(([, text = '']) => text).join('')
  const names = new Map(
    [...diagrams.matchAll(/state "(?:\w+: )?([\w-]+)" as (\w+)/g)].map(([, name, id]) => [id, name]),
  )
  const ids = [...diagrams.matchAll(/--> (\w+) :/g)].map(([, id = '']) => names.get(id) ?? id)
  return [...new Set(ids)].sort()
}

/** Credo has them, and keeps no record in them. */
const TRANSIENT = ['start', 'invitation-sent', 'invitation-received']

test.each([
  ['Invitation', OUT_OF_BAND_STATES],
  ['Connection', CONNECTION_STATES.filter((state) => !TRANSIENT.includes(state))],
  ['Credential exchange', CREDENTIAL_STATES],
  ['Proof exchange', PROOF_STATES],
])('%s: every state is in a diagram, and no other', (title, states) => {
  expect(drawn(title)).toEqual([...states].sort())
})

/**
 * The part of Mermaid's grammar that the diagrams use, line by line (https://mermaid.js.org/syntax/stateDiagram.html). Mermaid itself is 154 MB with what
 * it needs; validators that are small take wrong arrows, or refuse hyphens in what a transition says.
 */
const GRAMMAR = [/^ {2}state "[\w: -]+" as [a-z_]+$/, /^ {2}(?:\[\*\]|[a-z_]+) --> (?:\[\*\]|[a-z_]+) : [\w ,'()/-]+$/]

test('every diagram is in the grammar of state diagrams', () => {
  const diagrams = sections.flatMap((section) => [...section.matchAll(/^```mermaid\n([\s\S]*?)^```/gm)])
  expect(diagrams.length).toBeGreaterThan(4)
  for (const [, text = ''] of diagrams) {
    const [head, ...lines] = text.trimEnd().split('\n')
    expect(head).toBe('stateDiagram-v2')
    expect(lines.filter((line) => !GRAMMAR.some((rule) => rule.test(line)))).toEqual([])
    // Mermaid draws a name that no transition leads to as a state of its own.
    const named = [...text.matchAll(/ as (\w+)$/gm)].map(([, id]) => id)
    expect(named.filter((id) => !text.includes(`--> ${id} :`) && !text.includes(`  ${id} -->`))).toEqual([])
  }
})
