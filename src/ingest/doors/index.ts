/**
 * The doors by which requests come in, free of any protocol: what a door is, how its failures are answered, how senders
 * take turns, and the servers (HTTP, gRPC) that carry requests to it. What is in a request is its receiver's affair.
 */

export { type Admission, createAdmission } from './admission.ts';
export { type ContentType, parseContentType } from './content-type.ts';
export {
  type Door,
  type DoorAnswer,
  type DoorHandler,
  type DoorRequest,
  type Failure,
  noBody,
  type Receiver,
  textAnswer,
} from './door.ts';
export { type GrpcDoors, startGrpcDoors } from './grpc.ts';
export { httpDoors } from './http.ts';
export { type DoorService, type OnceByRequest, openDoors, originOf } from './open.ts';
