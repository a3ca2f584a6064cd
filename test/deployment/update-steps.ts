/** Updates, and one that fails: in this order, on a stage that is deployed. */
import { strict as assert } from 'node:assert'
import { answerOf, deployedFunctions } from './functions.ts'
import { failsWith, type Step, succeeds } from './step.ts'
import { STACK, type World } from './world.ts'

/** A function that a change of the label updates, as it does all; others are updated before it. */
const ONE_OF_MANY = 'WakeLambdaFunction'

const COUNTED = { TENANT_RATE: '50' }

/** The labels that functions have in their environment, each once. */
const labels = async ({ aws }: World): Promise<(string | undefined)[]> => [
  ...new Set((await deployedFunctions(aws, STACK)).map(({ environment }) => environment.AGENT_LABEL)),
]

const healthIsServed = async ({ aws }: World): Promise<void> => {
  const health = (await deployedFunctions(aws, STACK)).find(({ name }) => name === `${STACK}-health`)
  assert.ok(health)
  assert.equal(Object(await answerOf(health)).statusCode, 200)
}

export const UPDATES: readonly Step[] = [
  {
    title: 'an update that fails half-way goes back to the old version, which answers',
    run: async (world) => {
      const { table = '', api } = world.known
      await world.aws.set({ concurrency: 1000, fails: ONE_OF_MANY })
      failsWith(await world.operator.deploy({ AGENT_LABEL: 'Broken' }), new RegExp(`${ONE_OF_MANY} can't be changed`))
      assert.equal((await world.stack())?.status, 'UPDATE_ROLLBACK_COMPLETE')
      assert.deepEqual(await labels(world), ['serverless-agent'])
      await healthIsServed(world)
      assert.equal((await world.ids()).ApiGatewayRestApi, api)
      assert.ok(await world.hasItem(table))
    },
  },
  {
    title: 'the same update succeeds once the cause is removed',
    run: async (world) => {
      await world.aws.set({ concurrency: 1000 })
      succeeds(await world.operator.deploy({ AGENT_LABEL: 'Broken' }))
      assert.deepEqual(await labels(world), ['Broken'])
    },
  },
  {
    title: 'a rate of tenants has keys, and the authorizer the part of the stack’s id that they begin with',
    run: async (world) => {
      succeeds(await world.operator.deploy(COUNTED))
      const authorizer = (await deployedFunctions(world.aws, STACK)).find(({ name }) => name === `${STACK}-authorizer`)
      const { RATE_KEY_PREFIX } = authorizer?.environment ?? {}
      assert.match(RATE_KEY_PREFIX ?? '', /^serverless-agent-prod-rate-[0-9a-f]{8}$/)
      assert.equal(await world.rateKeys(), 33)
      assert.deepEqual((await world.operator.doctor(COUNTED)).lines, [])
    },
  },
]
