/** Updates that fail, and those that are tried out first: in this order, on a stage that is deployed. */
import { strict as assert } from 'node:assert'
import { answerOf, deployedFunctions } from './functions.ts'
import { STAGE } from './operator.ts'
import { failsWith, type Step, succeeds } from './step.ts'
import { STACK, type World } from './world.ts'

/** A function that a change of the label changes, as it does all; others are changed before it. */
const ONE_OF_MANY = 'WakeLambdaFunction'

const CANARY = { CANARY_PERCENT: '10', CANARY_MINUTES: '1' }
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
    take: async (world) => {
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
    title: 'the same update goes through when its cause is gone',
    take: async (world) => {
      await world.aws.set({ concurrency: 1000 })
      assert.deepEqual((await world.operator.doctor()).lines, [])
      succeeds(await world.operator.deploy({ AGENT_LABEL: 'Broken' }))
      assert.deepEqual(await labels(world), ['Broken'])
    },
  },
  {
    title: 'a rate of tenants is a nested stack, which knows the API and the keys that the authorizer names',
    take: async (world) => {
      succeeds(await world.operator.deploy(COUNTED))
      const authorizer = (await deployedFunctions(world.aws, STACK)).find(({ name }) => name === `${STACK}-authorizer`)
      const { RATE_KEY_PREFIX } = authorizer?.environment ?? {}
      assert.match(RATE_KEY_PREFIX ?? '', /^serverless-agent-prod-rate-nested-[0-9a-f]{8}$/)
      assert.deepEqual(await world.rates(), {
        given: { ApiGatewayRestApi: world.known.api, ApiStage: STAGE, RateKeyPrefix: RATE_KEY_PREFIX },
        resources: 67,
      })
      assert.deepEqual((await world.operator.doctor(COUNTED)).lines, [])
    },
  },
  {
    title: 'the first deployment with a canary gives each function an alias with all invocations',
    take: async (world) => {
      const output = succeeds(await world.operator.deploy({ ...CANARY, AGENT_LABEL: 'First' }))
      assert.doesNotMatch(output, /New versions of functions get/)
      // Nobody asks for a rate of tenants any more.
      assert.equal(await world.rates(), undefined)
      const { environment, shares } = await world.live('health')
      assert.deepEqual([environment.AGENT_LABEL, shares], ['First', []])
    },
  },
  {
    title: 'a canary whose alarm goes off is taken back, and the version before answers',
    take: async (world) => {
      await world.aws.set({ concurrency: 1000, alarm: `${STACK}-canary` })
      const { code, output } = await world.operator.deploy({ ...CANARY, AGENT_LABEL: 'Second' })
      assert.notEqual(code, 0, output.slice(-1500))
      assert.match(output, /New versions of functions get 10 %/)
      assert.doesNotMatch(output, /They did well/)
      assert.equal((await world.stack())?.status, 'UPDATE_ROLLBACK_COMPLETE')
      for (const one of ['health', 'deliver']) {
        const { environment, shares } = await world.live(one)
        assert.deepEqual([environment.AGENT_LABEL, shares], ['First', []])
      }
      assert.deepEqual(await labels(world), ['First'])
      await healthIsServed(world)
    },
  },
  {
    title: 'a canary that does well gives the new versions everything',
    take: async (world) => {
      await world.aws.set({ concurrency: 1000 })
      assert.match(succeeds(await world.operator.deploy({ ...CANARY, AGENT_LABEL: 'Second' })), /They did well/)
      const { environment, shares } = await world.live('health')
      assert.deepEqual([environment.AGENT_LABEL, shares], ['Second', []])
      // The second version was the one that was taken back.
      assert.deepEqual(await world.versions('health'), ['1', '3'])
      assert.equal((await world.ids()).ApiGatewayRestApi, world.known.api)
      assert.ok(await world.hasItem(world.known.table ?? ''))
    },
  },
]
