/** Serverless plugin: the alarms, and who hears of them. */
import { USUAL_CONCURRENCY } from '../deployment/concurrency.ts'
import {
  type FunctionDefinition,
  type Resource,
  type Serverless,
  type Service,
  withServerlessErrors,
} from '../service.ts'
import { parseSettings } from '../settings.ts'
import { toResource } from '../watch/alarm.ts'
import { awsAlarms, type BackgroundFunction } from '../watch/aws-alarms.ts'
import { serviceAlarms } from '../watch/service-alarms.ts'
import { WatchSettings } from '../watch/settings.ts'

export default class Watch {
  readonly hooks: Record<string, () => void>

  constructor(serverless: Serverless) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const settings = withServerlessErrors(serverless, () => parseSettings(WatchSettings, process.env))
        const { naming } = serverless.getProvider('aws')
        addWatch(serverless.service, settings, (key) => naming.getLambdaLogicalId(key))
      },
    }
  }
}

/** The function that throws where it refuses a token: API Gateway knows a 401 by that. */
const AUTHORIZER = 'authorizer'
/** The one that reads the table's stream. */
const DISPATCHER = 'dispatchChanges'

const addWatch = (service: Service, settings: WatchSettings, idOf: (key: string) => string): void => {
  const { Resources } = service.provider.compiledCloudFormationTemplate
  const { stage } = service.provider
  const stack = `${service.service}-${stage}`
  const background = backgroundOf(service, idOf)
  const concurrency = settings.ACCOUNT_CONCURRENCY ?? service.custom.accountConcurrency ?? USUAL_CONCURRENCY
  const watched = { stack, stage, background, concurrency }
  const alarms = {
    ...serviceAlarms({ maxWaiting: settings.WAITING_LANES }),
    ...awsAlarms(watched, idOf(DISPATCHER)),
  }
  for (const [id, alarm] of Object.entries(alarms)) Resources[id] = toResource(id, stack, alarm)
  if (settings.ALARM_EMAIL !== undefined) Resources.AlarmSubscription = subscription(settings.ALARM_EMAIL)
}

const isBackground = ({ events = [] }: FunctionDefinition): boolean => events.every(({ http }) => http === undefined)

const backgroundOf = ({ functions, provider }: Service, idOf: (key: string) => string): BackgroundFunction[] =>
  Object.entries(functions).flatMap(([key, definition]) =>
    isBackground(definition)
      ? [{ id: idOf(key), timeout: definition.timeout ?? provider.timeout, throwsOnPurpose: key === AUTHORIZER }]
      : [],
  )

/** Whoever it is has to confirm it once, by a link in the first e-mail. */
const subscription = (Endpoint: string): Resource => ({
  Type: 'AWS::SNS::Subscription',
  Properties: { TopicArn: { Ref: 'Alarms' }, Protocol: 'email', Endpoint },
})
