/**
 * What each file of tests begins with. The files of a layer share a process, since to load Credo takes a second of processor time: the
 * packages stay loaded, the modules of the service and of the tests are new for each file, and the environment is as it was.
 */
import { afterAll, vi } from 'vitest'

vi.useRealTimers()
vi.resetModules()

/** What settings() asks for. A test that needs something else sets it before it imports the service. */
const ENVIRONMENT: Record<string, string> = {
  TABLE_NAME: 'agent-test',
  PUBLIC_URL: 'http://127.0.0.1:3000',
  SEALING_KEY: Buffer.alloc(32, 7).toString('base64url'),
  TOKEN_ISSUERS: '[]',
  LOCAL_STAGE: 'true',
  LOG_LEVEL: 'silent',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
}

for (const [name, value] of Object.entries(ENVIRONMENT)) process.env[name] ??= value

const before = { ...process.env }

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
