/* The shape of one coordinate, one contact and one wave, fixed when the engine is compiled. */
#define SHAPE_Q 1
#define SHAPE_C 1
#define SHAPE_WAVES 1
#define ROOM_Q 1
#define ROOM_C 1
#define ROOM_WAVES 1
