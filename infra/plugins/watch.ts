/** Serverless plugin: adds the alarms, and the subscriber to them. */
import { USUAL_CONCURRENCY } from '../deployment/concurrency.ts'
import { type Resource, type Serverless, withServerlessErrors } from '../service.ts'
import { parseSettings } from '../settings.ts'
import { toResource } from '../watch/alarm.ts'
import { alarmsOf } from '../watch/alarms.ts'
import { WatchSettings } from '../watch/settings.ts'

export default class Watch {
  readonly hooks: Record<string, () => void>

  constructor(serverless: Serverless) {
    const { service } = serverless
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { ALARM_EMAIL, ACCOUNT_CONCURRENCY } = withServerlessErrors(serverless, () =>
          parseSettings(WatchSettings, process.env),
        )
        const { naming } = serverless.getProvider('aws')
        const { Resources } = service.provider.compiledCloudFormationTemplate
        const { stage } = service.provider
        const stack = `${service.service}-${stage}`
        const alarms = alarmsOf({
          ...{ stack, stage, sweep: naming.getLambdaLogicalId('sweepOutbox') },
          dispatcher: naming.getLambdaLogicalId('dispatchChanges'),
          concurrency: ACCOUNT_CONCURRENCY ?? service.custom.accountConcurrency ?? USUAL_CONCURRENCY,
        })
        for (const [id, alarm] of Object.entries(alarms)) Resources[id] = toResource(id, stack, alarm)
        if (ALARM_EMAIL !== undefined) Resources.AlarmSubscription = subscription(ALARM_EMAIL)
      },
    }
  }
}

/** The owner of the address must confirm it once, by a link in the first e-mail. */
const subscription = (Endpoint: string): Resource => ({
  Type: 'AWS::SNS::Subscription',
  Properties: { TopicArn: { Ref: 'Alarms' }, Protocol: 'email', Endpoint },
})
