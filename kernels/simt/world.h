// Which form of a kernel's interface a source names. SIMT_WORLD is on_device under nvcc and in host
// sources compiled with SIMT_ON_DEVICE, else on_stand_in. Interfaces declare their functions in an
// inline namespace of this name, so that one program may hold both forms.
#pragma once

#if defined(__CUDACC__) || defined(SIMT_ON_DEVICE)
#define SIMT_WORLD on_device
#else
#define SIMT_WORLD on_stand_in
#endif
