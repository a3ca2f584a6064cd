/** Wake-ups that have failed for good, because of a fault in our code: enters their lanes into the index that the sweep reads. */
import type { SQSEvent } from 'aws-lambda'
import { recover } from '../lib/outbox/timer.ts'

export const recoverWakeUps = ({ Records }: SQSEvent): Promise<void> => recover(Records)
