/** The environment of tests, benchmarks and simulations: what settings() requires. */
import { folderOnThisMachine } from '../../infra/anoncreds/library-file.ts'

/** A test that needs something else sets it before it imports the service. */
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

// Without the library, operations whose jobs need it work as on AWS, where another function has it.
const folder = folderOnThisMachine()
if (folder === undefined) delete process.env.LIB_ANONCREDS_PATH
else process.env.LIB_ANONCREDS_PATH = folder

for (const [name, value] of Object.entries(ENVIRONMENT)) process.env[name] ??= value

// Where it is `test`, didwebvh-ts writes every log that it reads into files.
if (process.env.NODE_ENV === 'test') process.env.NODE_ENV = 'development'
