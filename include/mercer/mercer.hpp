// mercer/mercer.hpp: the whole library.
#pragma once

#include "mercer/check.hpp"
#include "mercer/error.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/formula.hpp"
#include "mercer/gram.hpp"
#include "mercer/io.hpp"
#include "mercer/kernel.hpp"
#include "mercer/kernels.hpp"
#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"
#include "mercer/params.hpp"
#include "mercer/points.hpp"
#include "mercer/proof.hpp"
#include "mercer/similarity.hpp"
