/** Wire format of webhooks: the secret of an owner, and the deliveries of a run. */
import {
  array,
  count,
  object,
  openOneOf,
  optional,
  integer,
  string,
  time,
  type ObjectOf,
  type Shape,
} from '@truecast/core/internal/shape/shape';

const deliveryMembers = {
  /** The header `webhook-id` of each try. */
  id: string,
  url: string,
  /** `gone`: the address answered 410, and gets no further deliveries. */
  status: openOneOf('pending', 'delivered', 'failed', 'gone'),
  tries: count,
  /** HTTP status of the last answer. */
  answer_status: optional(integer),
  /** Why the last try had no answer. */
  error: optional(string),
  created_at: time,
  tried_at: optional(time),
  /** The next try of a pending one. */
  next_at: optional(time),
};
/** A delivery of a run's end to its webhook. */
export interface WebhookDeliveryView extends ObjectOf<typeof deliveryMembers> {}
export const webhookDeliveryView: Shape<WebhookDeliveryView> = object(deliveryMembers, 'WebhookDelivery');

const deliveriesMembers = { deliveries: array(webhookDeliveryView) };
/** The deliveries of a run, the oldest first. */
export interface WebhookDeliveriesView extends ObjectOf<typeof deliveriesMembers> {}
export const webhookDeliveriesView: Shape<WebhookDeliveriesView> = object(
  deliveriesMembers,
  'WebhookDeliveries',
);

const secretMembers = {
  /** `whsec_`, and base64 of 32 bytes. */
  secret: string,
  /** The one before the last rotation, while it also signs. */
  previous_secret: optional(string),
  previous_expires_at: optional(time),
};
/** The secret that signs the webhooks of an owner. */
export interface WebhookSecretView extends ObjectOf<typeof secretMembers> {}
export const webhookSecretView: Shape<WebhookSecretView> = object(secretMembers, 'WebhookSecret');
