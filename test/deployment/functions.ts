/** The deployed functions: their zips from the bucket, unpacked, and loaded as Lambda loads them. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { GetFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { unzipSync } from 'fflate'
import { physicalIds } from '../../infra/deployment/stack.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { startProgram } from '../support/stage/program.ts'
import type { EmulatedAws } from './emulator.ts'

export interface DeployedFunction {
  name: string
  /** `file.export`. */
  handler: string
  environment: Record<string, string>
  /** Name of its role. */
  role: string
  /** Bytes of its zip. */
  zip: Uint8Array
}

export const deployedFunctions = async (aws: EmulatedAws, stackName: string): Promise<DeployedFunction[]> => {
  const ids = await physicalIds(new CloudFormationClient(aws.clientConfig), stackName)
  const names = Object.entries(ids).flatMap(([id, name]) => (/LambdaFunction$/.test(id) ? [name] : []))
  const lambda = new LambdaClient(aws.clientConfig)
  return Promise.all(
    names.map(async (name) => {
      const { Configuration, Code } = await lambda.send(new GetFunctionCommand({ FunctionName: name }))
      return {
        name,
        handler: Configuration?.Handler ?? '',
        environment: Configuration?.Environment?.Variables ?? {},
        role: Configuration?.Role?.split('/').at(-1) ?? '',
        zip: await download(aws, ids.ServerlessDeploymentBucket ?? '', Code?.Location ?? ''),
      }
    }),
  )
}

/** moto names a bucket of Lambda's own in the address, which it does not have: the key is that of the stack's. */
const download = async (aws: EmulatedAws, Bucket: string, location: string): Promise<Uint8Array> => {
  const Key = decodeURIComponent(new URL(location).pathname.slice(1))
  const { Body } = await new S3Client(aws.clientConfig).send(new GetObjectCommand({ Bucket, Key }))
  if (Body === undefined) throw new Error(`${Key} is empty`)
  return Body.transformToByteArray()
}

/** Says what the handler answers, after the lines that it logs. */
const ASK = `
const [, , file, name, event] = process.argv
const loaded = await import(file)
if (typeof loaded[name] !== 'function') throw new Error(file + ' has no ' + name)
const context = { awsRequestId: 'test', getRemainingTimeInMillis: () => 20_000 }
console.log('answer', JSON.stringify((await loaded[name](JSON.parse(event), context)) ?? {}))
`

/** A request as API Gateway hands it over: without a body, and without a token unless said. */
const EVENT = { headers: {}, pathParameters: null, queryStringParameters: null, body: null, requestContext: {} }

/** What a function answers; where it asks AWS, `environment` says where that is. */
export const answerOf = async (one: DeployedFunction, event: object = {}, environment = {}): Promise<unknown> => {
  const called = { ...one, environment: { ...one.environment, ...environment } }
  const { stdout, stderr } = await run(called, JSON.stringify({ ...EVENT, ...event }))
  const [, answer] = /^answer (\{.*\})$/m.exec(stdout) ?? []
  if (answer === undefined) throw new Error(`${one.name} does not answer: ${stdout}${stderr}`.slice(0, 1000))
  return JSON.parse(answer)
}

const run = async ({ handler, environment, zip }: DeployedFunction, event: string) => {
  await using folder = await temporaryFolder()
  for (const [file, contents] of Object.entries(unzipSync(zip))) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true })
    await writeFile(join(folder.path, file), contents)
  }
  const [module = '', name = ''] = handler.split('.')
  const script = join(folder.path, 'ask-it.mjs')
  await writeFile(script, ASK)
  const program = startProgram(process.execPath, [script, join(folder.path, `${module}.mjs`), name, event], {
    env: { ...environment, AWS_REGION: 'eu-central-1' },
  })
  return await program.ended()
}
