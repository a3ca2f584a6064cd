/**
 * `npm run openapi`: writes the interface of a release to `docs/openapi/<version>.json`, which later versions are
 * compared with (test/unit/http/breaking-changes.test.ts). Texts and examples are left out.
 */
import { writeFileSync } from 'node:fs'
import { describeInterface } from '../lib/http/openapi.ts'
import packageJson from '../package.json' with { type: 'json' }
import { reason } from './failure.ts'

const TEXTS = ['description', 'summary', 'title', 'tags', 'example', 'examples', 'links', 'x-companion']

/** Keywords whose members' names are chosen by the API, and may equal words of `TEXTS`. */
const MAPS = ['properties', 'schemas', 'parameters', 'headers']

const withoutTexts = (value: unknown, isMap = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item))
  if (typeof value !== 'object' || value === null) return value
  const remaining = Object.entries(value).filter(([name]) => isMap || !TEXTS.includes(name))
  return Object.fromEntries(
    remaining.map(([name, member]) => [name, withoutTexts(member, !isMap && MAPS.includes(name))]),
  )
}

/** The part of an OpenAPI document that clients depend on. */
export const comparablePart = ({ paths, webhooks, components }: ReturnType<typeof describeInterface>) =>
  JSON.parse(JSON.stringify(withoutTexts({ paths, webhooks, components })))

if (import.meta.main) {
  const { version } = packageJson
  const file = `docs/openapi/${version}.json`
  const document = comparablePart(describeInterface({ version, url: 'http://127.0.0.1:3000' }))
  try {
    // A line for each operation. `wx`: the file of a released version is never overwritten.
    writeFileSync(file, `${JSON.stringify(document).replaceAll(/(?<=[{,])(?="\/)/g, '\n')}\n`, { flag: 'wx' })
    console.log(file)
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
