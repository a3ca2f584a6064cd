/** The line of the log that tells that an issuer's keys are in use though its address has not confirmed them, and counts it as a metric. */
import { log } from '../log.ts'
import { settings } from '../settings.ts'

/**
 * CloudWatch makes a metric of a line in its embedded metric format. It counts by table, of which each stage has one.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const logUnconfirmed = (issuer: string, ageMs: number, now: number): void =>
  // An error, so that no level but `silent` loses the metric.
  log('error', 'the keys of an issuer are not confirmed', {
    event: 'issuer.keys_not_confirmed',
    issuer,
    ageMs: Math.round(ageMs),
    Table: settings().TABLE_NAME,
    IssuerKeysNotConfirmed: 1,
    _aws: {
      Timestamp: Math.round(now),
      CloudWatchMetrics: [
        {
          Namespace: 'serverless-agent',
          Dimensions: [['Table']],
          Metrics: [{ Name: 'IssuerKeysNotConfirmed', Unit: 'Count' }],
        },
      ],
    },
  })
