/**
 * What is deployed, as `serverless package` makes it of serverless.yml: tests in files of their own, on one package.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import './deployment/access.ts'
import './deployment/alarms.ts'
import './deployment/anoncreds-library.ts'
import './deployment/environment.ts'
import './deployment/gateway-responses.ts'
import './deployment/kept-data.ts'
import './deployment/last-release.ts'
import './deployment/log-group.ts'
import './deployment/node-options.ts'
import './deployment/queues-and-stream.ts'
import './deployment/references.ts'
import './deployment/routes.ts'
import './deployment/watch-settings.ts'

const FOLDER = 'test/unit/infra/deployment'

test('every file of the folder that has tests is imported here', () => {
  const imported = readFileSync(`${FOLDER}.test.ts`, 'utf8').matchAll(/^import '.*\/(.+)'$/gm)
  const withTests = readdirSync(FOLDER).filter(
    (name) => name.endsWith('.ts') && readFileSync(`${FOLDER}/${name}`, 'utf8').includes("from 'vitest'"),
  )
  expect([...imported].map(([, name]) => name).toSorted()).toEqual(withTests.toSorted())
})
